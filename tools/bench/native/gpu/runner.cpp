// Makes the calls that stand in programs/*/calls.txt by the driver of the device, compares what is read with what is expected, measures, and
// writes results.json. Programs run in a process of their own until one fails, so that what breaks the device ends that program only.
//   runner                 all programs
//   runner --architecture  what nvcc calls the device
// FILIGREE_CUDA_DRIVER names another library than libcuda.so.1; FILIGREE_LIMIT the seconds that a program may take, FILIGREE_ROUNDS of how many
// rounds the quickest counts.
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using std::string;
using std::vector;

[[noreturn]] static void stop(const string& why) {
  fprintf(stderr, "%s\n", why.c_str());
  exit(1);
}

// Thrown where a program fails: the process then makes no more calls.
struct Failure {
  string why;
};

// --- the driver ---

static void* library;

template <class F>
static F* call(const char* name) {
  F* found = (F*)dlsym(library, name);
  if (!found) throw Failure{string("the driver has no ") + name};
  return found;
}

static void check(const char* name, int result) {
  if (result != 0) throw Failure{string(name) + " failed with " + std::to_string(result)};
}

#define CALL(name, types, ...) check(#name, call<int types>(#name)(__VA_ARGS__))

static int attribute(int which) {
  int value = 0;
  CALL(cuDeviceGetAttribute, (int*, int, int), &value, which, 0);
  return value;
}

static void openDriver() {
  const char* named = getenv("FILIGREE_CUDA_DRIVER");
  library = dlopen(named ? named : "libcuda.so.1", RTLD_NOW);
  if (!library) throw Failure{string("there is no driver of CUDA: ") + dlerror()};
  uint64_t context = 0;
  CALL(cuInit, (unsigned), 0);
  CALL(cuDevicePrimaryCtxRetain, (uint64_t*, int), &context, 0);
  CALL(cuCtxSetCurrent, (uint64_t), context);
}

static uint64_t allocate(size_t bytes) {
  uint64_t at = 0;
  CALL(cuMemAlloc_v2, (uint64_t*, size_t), &at, bytes ? bytes : 1);
  return at;
}

static void release(uint64_t at) { CALL(cuMemFree_v2, (uint64_t), at); }
static void finish() { CALL(cuStreamSynchronize, (uint64_t), 0); }

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// Seconds of one of many runs, as quick as it was.
template <class Run>
static double quickest(Run run) {
  const int rounds = getenv("FILIGREE_ROUNDS") ? atoi(getenv("FILIGREE_ROUNDS")) : 5, each = 2 * rounds;
  double best = INFINITY;
  run();
  finish();
  for (int r = 0; r < rounds; r++) {
    const double begin = now();
    for (int k = 0; k < each; k++) run();
    finish();
    best = std::min(best, (now() - begin) / each);
  }
  return best;
}

// --- comparison ---

struct Tolerance {
  string kind;
  double most;
};

// A float's bits as a number that counts up with it.
template <class I, class F>
static I order(F x) {
  I bits;
  memcpy(&bits, &x, sizeof bits);
  const I sign = (I)1 << (8 * sizeof(I) - 1);
  return bits & sign ? sign - (bits & ~sign) : bits + sign;
}

template <class U, class F>
static string compareFloats(const vector<char>& got, const vector<char>& want, const Tolerance& t) {
  const size_t n = got.size() / sizeof(F);
  vector<F> g(n), w(n);
  memcpy(g.data(), got.data(), got.size());
  memcpy(w.data(), want.data(), want.size());
  double largest = 0;
  for (F x : w)
    if (fabs((double)x) > largest) largest = fabs((double)x);
  for (size_t k = 0; k < n; k++) {
    if (isnan((double)g[k]) && isnan((double)w[k])) continue;
    const U a = order<U>(g[k]), b = order<U>(w[k]);
    if (a == b && (signbit(g[k]) == signbit(w[k]) || t.most > 0)) continue;
    bool near = !isnan((double)g[k]) && !isnan((double)w[k]);
    near = near && (t.kind == "ulps" ? (double)(a > b ? a - b : b - a) <= t.most : fabs((double)g[k] - (double)w[k]) <= t.most * largest);
    if (near && t.most > 0) continue;
    char text[160];
    snprintf(text, sizeof text, "element %zu is %.17g, expected %.17g", k, (double)g[k], (double)w[k]);
    return text;
  }
  return "";
}

static string compare(const vector<char>& got, const vector<char>& want, const string& type, const Tolerance& t) {
  if (type == "f64") return compareFloats<uint64_t, double>(got, want, t);
  if (type == "f32") return compareFloats<uint32_t, float>(got, want, t);
  for (size_t k = 0; k < got.size(); k++)
    if (got[k] != want[k])
      return "byte " + std::to_string(k) + " of " + type + " is " + std::to_string((unsigned char)got[k]) + ", expected " +
             std::to_string((unsigned char)want[k]);
  return "";
}

// --- programs ---

struct Launch {
  uint64_t function;
  unsigned blocks, threads;
  vector<uint64_t> args;

  void run() {
    vector<void*> frame;
    for (uint64_t& a : args) frame.push_back(&a);
    frame.push_back(nullptr);
    CALL(cuLaunchKernel, (uint64_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, uint64_t, void**, void**), function, blocks, 1, 1,
         threads, 1, 1, 0, 0, frame.data(), nullptr);
  }
};

// Calls that are made over and over when all others were made, and how long they take.
struct Part {
  string name, unit;
  double amount = 0, seconds = 0;
  bool open = true, all = false;
  vector<std::function<void()>> calls;
};

struct Result {
  string name, kind, why;
  double seconds = 0;
  vector<Part> parts;
};

struct Program {
  string folder;
  unsigned processors, threadsEach;
  Result result;
  vector<uint64_t> modules, blocks;

  uint64_t address(std::istream& in) {
    size_t block, offset;
    in >> block >> offset;
    if (!in || block >= blocks.size()) throw Failure{"calls.txt names a block that is not there"};
    return blocks[block] + offset;
  }

  vector<char> data(size_t at, size_t bytes) {
    std::ifstream in(folder + "/data.bin", std::ios::binary);
    vector<char> read(bytes);
    in.seekg(at);
    in.read(read.data(), bytes);
    if (!in) throw Failure{"data.bin ends early"};
    return read;
  }

  void openModules(size_t count) {
    for (size_t k = 0; k < count; k++) {
      const string file = folder + "/kernels-" + std::to_string(k) + ".cubin";
      modules.push_back(0);
      CALL(cuModuleLoad, (uint64_t*, const char*), &modules.back(), file.c_str());
    }
  }

  Launch launch(std::istream& in) {
    size_t module, count;
    string kernel;
    unsigned long blocks;
    Launch l;
    in >> module >> kernel >> blocks >> l.threads >> count;
    if (!in || module >= modules.size() || l.threads == 0) throw Failure{"calls.txt names a module that is not there"};
    l.blocks = (unsigned)std::min(blocks, (unsigned long)processors * ((threadsEach + l.threads - 1) / l.threads));
    CALL(cuModuleGetFunction, (uint64_t*, uint64_t, const char*), &l.function, modules[module], kernel.c_str());
    for (size_t k = 0; k < count; k++) {
      string what;
      uint64_t number = 0;
      in >> what;
      if (what == "address") number = address(in);
      else in >> number;
      l.args.push_back(number);
    }
    if (!in) throw Failure{"calls.txt ends early"};
    return l;
  }

  // Makes a call, and keeps it for the parts that it is of; some have no calls by which the host writes and reads.
  void make(const std::function<void()>& call, bool byHost = false) {
    call();
    for (Part& p : result.parts) if (p.open && (p.all || !byHost)) p.calls.push_back(call);
  }

  void begin(std::istream& in) {
    Part p;
    string calls;
    in >> calls >> p.amount >> p.unit;
    p.all = calls == "all";
    std::getline(in >> std::ws, p.name);
    result.parts.push_back(p);
  }

  void end() {
    for (size_t k = result.parts.size(); k-- > 0;)
      if (result.parts[k].open) {
        result.parts[k].open = false;
        return;
      }
    throw Failure{"calls.txt ends a part that it did not begin"};
  }

  void read(std::istream& in) {
    const uint64_t from = address(in);
    size_t bytes, at;
    string type;
    Tolerance t;
    in >> bytes >> type >> t.kind >> t.most >> at;
    if (!in) throw Failure{"calls.txt ends early"};
    const auto into = std::make_shared<vector<char>>(bytes);
    if (bytes) make([=] { CALL(cuMemcpyDtoH_v2, (void*, uint64_t, size_t), into->data(), from, bytes); }, true);
    const vector<char> got = *into;
    if (t.kind == "any") return;
    const string wrong = compare(got, data(at, bytes), type, t);
    if (!wrong.empty() && result.why.empty()) result.why = wrong;
  }

  void run() {
    std::ifstream calls(folder + "/calls.txt");
    if (!calls) throw Failure{"there is no calls.txt"};
    string text;
    double started = 0;
    while (std::getline(calls, text)) {
      std::istringstream in(text);
      string what;
      in >> what;
      if (what == "name") std::getline(in >> std::ws, result.name);
      else if (what == "kind") in >> result.kind;
      else if (what == "modules") { size_t n; in >> n; openModules(n); started = now(); }
      else if (what == "allocate") { size_t n; in >> n; blocks.push_back(allocate(n)); }
      else if (what == "free") { size_t b; in >> b; release(blocks.at(b)); blocks[b] = 0; }
      else if (what == "clear") { const uint64_t at = address(in); size_t n; in >> n; make([=] { CALL(cuMemsetD8_v2, (uint64_t, unsigned char, size_t), at, 0, n); }); }
      else if (what == "write") {
        const uint64_t to = address(in);
        size_t n, at;
        in >> n >> at;
        const auto bytes = std::make_shared<vector<char>>(data(at, n));
        if (n) make([=] { CALL(cuMemcpyHtoD_v2, (uint64_t, const void*, size_t), to, bytes->data(), n); }, true);
      } else if (what == "read") read(in);
      else if (what == "launch") { const auto l = std::make_shared<Launch>(launch(in)); make([=] { l->run(); }); }
      else if (what == "begin") begin(in);
      else if (what == "end") end();
      else if (!what.empty()) throw Failure{"calls.txt has a line '" + what + "', which this runner does not know"};
    }
    finish();
    result.seconds = now() - started;
    for (Part& p : result.parts)
      p.seconds = quickest([&p] {
        for (const auto& call : p.calls) call();
      });
    for (uint64_t at : blocks) if (at) release(at);
    for (uint64_t m : modules) CALL(cuModuleUnload, (uint64_t), m);
  }
};

// --- results ---

static string quoted(const string& text) {
  string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += (unsigned char)c < 32 ? ' ' : c;
  }
  return out + '"';
}

static string line(const Result& r) {
  char numbers[120];
  string parts;
  for (const Part& p : r.parts) {
    snprintf(numbers, sizeof numbers, "\"amount\": %.0f, \"seconds\": %.9g}", p.amount, p.seconds);
    parts += (parts.empty() ? "{\"part\": " : ", {\"part\": ") + quoted(p.name) + ", \"unit\": " + quoted(p.unit) + ", " + numbers;
  }
  snprintf(numbers, sizeof numbers, "\"seconds\": %.9g", r.seconds);
  return "{\"name\": " + quoted(r.name) + ", \"kind\": " + quoted(r.kind) + ", \"passed\": " + (r.why.empty() ? "true" : "false") +
         ", \"why\": " + quoted(r.why) + ", " + numbers + ", \"parts\": [" + parts + "]}";
}

const int VERSION = 3;

struct Bundle {
  int version = 0;
  string commit;
  unsigned threads = 0;
  vector<string> programs;
};

static Bundle readBundle() {
  std::ifstream in("bundle.txt");
  if (!in) stop("there is no bundle.txt here: run this where it lies");
  Bundle b;
  string what;
  while (in >> what) {
    if (what == "filigree-bundle") in >> b.version;
    else if (what == "commit") std::getline(in >> std::ws, b.commit);
    else if (what == "threads") in >> b.threads;
    else if (what == "program") { b.programs.emplace_back(); in >> b.programs.back(); }
  }
  if (b.version != VERSION) stop("this bundle is of version " + std::to_string(b.version) + ", and this runner of version " + std::to_string(VERSION));
  return b;
}

// What is said of the device, with the rate at which it copies within its memory.
static string describe() {
  char name[256] = "";
  int driver = 0;
  CALL(cuDeviceGetName, (char*, int, int), name, (int)sizeof name, 0);
  CALL(cuDriverGetVersion, (int*), &driver);
  const size_t bytes = (size_t)1 << (getenv("FILIGREE_COPY") ? atoi(getenv("FILIGREE_COPY")) : 29);
  const uint64_t from = allocate(bytes), to = allocate(bytes);
  CALL(cuMemsetD8_v2, (uint64_t, unsigned char, size_t), from, 1, bytes);
  const double seconds = quickest([&] { CALL(cuMemcpyDtoD_v2, (uint64_t, uint64_t, size_t), to, from, bytes); });
  release(from);
  release(to);
  char text[600];
  snprintf(text, sizeof text, "{\"name\": %s, \"architecture\": \"sm_%d%d\", \"processors\": %d, \"driver\": %d, \"copy\": %.6g}", quoted(name).c_str(),
           attribute(75), attribute(76), attribute(16), driver, 2 * bytes / seconds);
  return text;
}

// Runs `work` in a process of its own, which writes a line for each thing that it did; gives the lines, and how it ended.
template <class Work>
static vector<string> inProcess(Work work, int& status) {
  int ends[2];
  if (pipe(ends) != 0) stop("no pipe can be made");
  fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) stop("no process can be made");
  if (child == 0) {
    close(ends[0]);
    FILE* out = fdopen(ends[1], "w");
    work(out);
    fclose(out);
    _exit(0);
  }
  close(ends[1]);
  vector<string> lines;
  FILE* in = fdopen(ends[0], "r");
  char* text = nullptr;
  size_t room = 0;
  for (ssize_t n; (n = getline(&text, &room, in)) > 0;) lines.emplace_back(text, text + n - (text[n - 1] == '\n'));
  free(text);
  fclose(in);
  waitpid(child, &status, 0);
  return lines;
}

static string ending(int status, unsigned limit) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return "it did not end within " + std::to_string(limit) + " s";
  if (WIFSIGNALED(status)) return string("it was ended by ") + strsignal(WTERMSIG(status));
  return "it ended without a word";
}

int main(int count, char** given) {
  if (count == 2 && string(given[1]) == "--architecture") {
    try {
      openDriver();
      printf("sm_%d%d\n", attribute(75), attribute(76));
      return 0;
    } catch (const Failure& f) {
      stop(f.why);
    }
  }
  if (count != 1) stop("usage: runner [--architecture]");
  const Bundle bundle = readBundle();
  const unsigned limit = getenv("FILIGREE_LIMIT") ? atoi(getenv("FILIGREE_LIMIT")) : 120;
  int status = 0;
  const vector<string> device = inProcess(
      [](FILE* out) {
        try {
          openDriver();
          fprintf(out, "%s\n", describe().c_str());
        } catch (const Failure& f) {
          fprintf(stderr, "%s\n", f.why.c_str());
        }
      },
      status);
  if (device.size() != 1) return 1;

  FILE* out = fopen("results.json", "w");
  if (!out) stop("results.json cannot be written");
  fprintf(out, "{\"version\": %d, \"commit\": %s, \"device\": %s,\n \"programs\": %zu, \"results\": [", VERSION, quoted(bundle.commit).c_str(), device[0].c_str(),
          bundle.programs.size());
  size_t done = 0, failed = 0;
  const auto say = [&](const string& text, bool passed) {
    fprintf(out, "%s\n  %s", done++ ? "," : "", text.c_str());
    fflush(out);
    failed += !passed;
    if (!passed) fprintf(stderr, "%s\n", text.c_str());
  };
  while (done < bundle.programs.size()) {
    const size_t first = done;
    const vector<string> lines = inProcess(
        [&](FILE* to) {
          for (size_t k = first; k < bundle.programs.size(); k++) {
            alarm(limit);
            Program p;
            p.folder = "programs/" + bundle.programs[k];
            bool broken = false;
            try {
              if (k == first) openDriver();
              p.processors = attribute(16);
              p.threadsEach = bundle.threads;
              p.run();
            } catch (const Failure& f) {
              p.result.why = f.why;
              broken = true;
            }
            if (p.result.name.empty()) p.result.name = bundle.programs[k];
            fprintf(to, "%c%s\n", p.result.why.empty() ? '+' : '-', line(p.result).c_str());
            fflush(to);
            if (broken) return;
          }
        },
        status);
    for (const string& text : lines) say(text.substr(1), text[0] == '+');
    if (lines.empty() || (done < bundle.programs.size() && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))) {
      Result r;
      r.name = bundle.programs[done];
      r.kind = r.name.substr(0, r.name.find('-'));
      r.why = ending(status, limit);
      say(line(r), false);
    }
  }
  fprintf(out, "\n]}\n");
  fclose(out);
  printf("%zu programs on the device, %zu failed: results.json\n", done, failed);
  return failed ? 1 : 0;
}
