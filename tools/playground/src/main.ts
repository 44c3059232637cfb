import { editorIn, readerIn } from './editor.js';
import { examples } from './examples.js';
import type { Emitted, FromWorker, Pointer, Problem, ToWorker } from './messages.js';

/** So long may a program not answer before it is ended. */
const PATIENCE_MS = 8000;

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

const canvas = element<HTMLCanvasElement>('canvas');
const picture = canvas.getContext('2d')!;
const [runButton, stopButton] = [element<HTMLButtonElement>('run'), element<HTMLButtonElement>('stop')];
const [status, messages, tabs] = [element('status'), element('messages'), element('tabs')];
const choice = element<HTMLSelectElement>('examples');

const state: {
  worker?: Worker | undefined;
  /** Ends the program when it has not answered. */
  watch?: ReturnType<typeof setTimeout> | undefined;
  problems: readonly Problem[];
  emitted: readonly Emitted[];
  tab: string;
  compiledMs?: number | undefined;
} = { problems: [], emitted: [], tab: 'WebAssembly' };

const pointer: { -readonly [K in keyof Pointer]: Pointer[K] } = { x: 0.5, y: 0.5, down: false };

const say = (text: string): void => {
  status.textContent = text;
};

const print = (text: string, kind: string): void => {
  const line = document.createElement('div');
  line.className = kind;
  line.textContent = text;
  messages.append(line);
  messages.scrollTop = messages.scrollHeight;
};

const end = (why: string): void => {
  clearTimeout(state.watch);
  state.worker?.terminate();
  state.worker = undefined;
  stopButton.disabled = true;
  say(why);
};

const waitFor = (worker: Worker, message: ToWorker): void => {
  clearTimeout(state.watch);
  state.watch = setTimeout(() => {
    end('ended');
    print(`The program did not answer for ${PATIENCE_MS / 1000} s and was ended. Does a loop never stop?`, 'wrong');
  }, PATIENCE_MS);
  worker.postMessage(message);
};

const run = (): void => {
  end('compiling …');
  messages.replaceChildren();
  state.problems = [];
  state.compiledMs = undefined;
  editor.mark([]);
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  state.worker = worker;
  stopButton.disabled = false;
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (state.worker === worker) listen(worker, data);
  };
  worker.onerror = (e) => {
    end('stopped');
    print(e.message, 'wrong');
  };
  waitFor(worker, { run: editor.text() });
};

const listen = (worker: Worker, data: FromWorker): void => {
  if ('picture' in data) {
    clearTimeout(state.watch);
    picture.drawImage(data.picture, 0, 0);
    data.picture.close();
    canvas.dataset.pictures = String(Number(canvas.dataset.pictures ?? 0) + 1);
    say(`${compiledText()}${data.ms.toFixed(1)} ms a picture`);
    requestAnimationFrame(() => {
      if (state.worker === worker) waitFor(worker, { next: pointer });
    });
  } else if ('emitted' in data) {
    state.compiledMs = data.ms;
    state.emitted = data.emitted;
    showTabs();
  } else if ('line' in data) print(data.line, 'line');
  else if ('problems' in data) {
    /* A function that several kernels are made of is wrong in each. */
    const fresh = [...state.problems, ...data.problems].filter(
      (p, k, all) => all.findIndex((q) => q.line === p.line && q.message === p.message) === k,
    );
    const before = state.problems.length;
    state.problems = fresh;
    editor.mark(fresh);
    for (const { line, message, severity } of fresh.slice(before))
      print(line === undefined ? message : `Line ${line}: ${message}`, severity === 'error' ? 'wrong' : 'line');
    if (data.problems.some((p) => p.severity === 'error')) end('stopped');
  } else {
    clearTimeout(state.watch);
    say(`${compiledText()}done`);
  }
};

const compiledText = (): string =>
  state.compiledMs === undefined ? '' : `compiled in ${state.compiledMs.toFixed(0)} ms, `;

const showTabs = (): void => {
  const shown = state.emitted.find((e) => e.name === state.tab) ?? state.emitted[0];
  tabs.replaceChildren(
    ...state.emitted.map(({ name }) => {
      const tab = document.createElement('button');
      tab.textContent = name;
      tab.setAttribute('role', 'tab');
      tab.setAttribute('aria-selected', String(name === shown?.name));
      tab.onclick = () => {
        state.tab = name;
        showTabs();
      };
      return tab;
    }),
  );
  read(shown?.text ?? '', shown?.name === 'C++');
};

const point = (e: PointerEvent): void => {
  const box = canvas.getBoundingClientRect();
  pointer.x = (e.clientX - box.left) / box.width;
  pointer.y = (e.clientY - box.top) / box.height;
  pointer.down = e.buttons > 0;
};
for (const kind of ['pointermove', 'pointerdown', 'pointerup'] as const) canvas.addEventListener(kind, point);

const read = readerIn(element('text'));
const editor = editorIn(element('editor'), run, () => editor.mark([]));

for (const { name, title } of examples) choice.add(new Option(title, name));
const open = (name: string): void => {
  const example = examples.find((e) => e.name === name) ?? examples[0];
  choice.value = example.name;
  canvas.dataset.pictures = '0';
  editor.write(example.text);
  run();
};
choice.onchange = () => {
  location.hash = choice.value;
};
window.onhashchange = () => open(location.hash.slice(1));
runButton.onclick = run;
stopButton.onclick = () => end('stopped');
open(location.hash.slice(1));
