import { type MemoryLayout, controlBlock as at } from '../memory/layout.js';
import { ALONE } from './alone.js';

/** Chunks of a thread alone: how often it may change to faster code. */
const chunksAlone = 16;

/** A loop of fewer ops than this is not worth waking another thread for: that takes some microseconds. */
const worthForking = 30_000;

/** How often a thread looks again before it goes to sleep: some 20 microseconds, less than waking it takes. */
const patience = 10_000;

/**
 * The functions that run parallel loops. `$fork` splits the iterations of a loop into chunks and works on them until none
 * is left; threads that wait in `serve` join in. All of them share the control block. A loop is open
 * while `open` is 1; a thread that works on it is counted in `active`, and `$fork` returns when there is none.
 *
 * @param numbered whether `$worker` is to be the number of the thread
 */
export const runtimeText = ({ control: base, scratch, scratchBytes }: MemoryLayout, numbered: boolean): string => {
  const word = (name: keyof typeof at): string => `(i32.const ${base + at[name]})`;
  const own = [
    ...(scratchBytes === 0
      ? []
      : [
          `(global.set $scratch (i32.add (i32.const ${scratch}) (i32.mul (local.get $id) (i32.const ${scratchBytes}))))`,
        ]),
    ...(numbered ? ['(global.set $worker (local.get $id))'] : []),
  ]
    .map((text) => `\n    ${text}`)
    .join('');
  return `  ;; Runs the parallel loop number $loop over $n iterations of about $work operations each, on $most threads at most, in
  ;; $pieces chunks a thread.
  (func $fork (param $loop i32) (param $n i64) (param $work i64) (param $most i32) (param $pieces i32)
    (local $threads i32) (local $chunks i64)
    (if (i64.le_s (local.get $n) (i64.const 0)) (then (return)))
    ${ALONE.line('(local.set $threads (i32.const 1))')}
    (local.set $threads (i32.load ${word('threads')}))
    (if (i32.gt_s (local.get $threads) (local.get $most)) (then (local.set $threads (local.get $most))))
    (local.set $chunks (i64.extend_i32_u (i32.mul (local.get $threads) (local.get $pieces))))
    (if (i32.le_s (local.get $threads) (i32.const 1)) (then (local.set $chunks (i64.const ${chunksAlone}))))
    (if (i64.lt_u (i64.mul (local.get $n) (local.get $work)) (i64.const ${worthForking}))
      (then (local.set $threads (i32.const 1)) (local.set $chunks (i64.const 1))))
    (if (i64.gt_s (local.get $chunks) (local.get $n)) (then (local.set $chunks (local.get $n))))
    (i32.store ${word('loop')} (local.get $loop))
    (i64.store ${word('iterations')} (local.get $n))
    (i32.store ${word('chunks')} (i32.wrap_i64 (local.get $chunks)))
    (i32.atomic.store ${word('next')} (i32.const 0))
    (if (i32.le_s (local.get $threads) (i32.const 1)) (then (call $work) (return)))
    (i32.store ${word('team')} (local.get $threads))
    (i32.atomic.store ${word('open')} (i32.const 1))
    (drop (i32.atomic.rmw.add ${word('epoch')} (i32.const 1)))
    (drop (memory.atomic.notify ${word('epoch')} (i32.sub (local.get $threads) (i32.const 1))))
    (call $work)
    (call $join)
    (if (i32.atomic.load ${word('trapped')}) (then (unreachable)))
  )

  ;; Works on chunks of the open loop until none is left.
  (func $work
    (local $c i64) (local $n i64) (local $chunks i64) (local $loop i32)
    (local.set $n (i64.load ${word('iterations')}))
    (local.set $chunks (i64.load32_u ${word('chunks')}))
    (local.set $loop (i32.load ${word('loop')}))
    (loop $more
      (local.set $c (i64.extend_i32_u (i32.atomic.rmw.add ${word('next')} (i32.const 1))))
      (if (i64.lt_u (local.get $c) (local.get $chunks))
        (then
          (call_indirect (type $range)
            (i64.div_u (i64.mul (local.get $n) (local.get $c)) (local.get $chunks))
            (i64.div_u (i64.mul (local.get $n) (i64.add (local.get $c) (i64.const 1))) (local.get $chunks))
            (local.get $loop))
          (br $more))))
  )

  ;; Closes the loop and waits for the threads that are still at it.
  (func $join
    (local $active i32) (local $looks i32)
    (i32.atomic.store ${word('open')} (i32.const 0))
    (loop $more
      (local.set $active (i32.atomic.load ${word('active')}))
      (if (local.get $active)
        (then
          (local.set $looks (i32.add (local.get $looks) (i32.const 1)))
          (if (i32.and (i32.gt_u (local.get $looks) (i32.const ${patience})) (i32.load ${word('mayWait')}))
            (then (drop (memory.atomic.wait32 ${word('active')} (local.get $active) (i64.const 1000000)))))
          (br $more))))
  )

  ;; After a trap in the thread that forked: no more chunks, and nobody at work.
  (func (export "abandon")
    (i32.atomic.store ${word('next')} (i32.const 0x40000000))
    (call $join)
  )

  ;; What a helping thread runs: joins every loop that opens, until told to quit. Returns 0 then.
  (func (export "serve") (param $id i32) (result i32)
    (local $seen i32) (local $looks i32)${own}
    (loop $more
      (local.set $seen (i32.atomic.load ${word('epoch')}))
      (if (i32.atomic.load ${word('quit')}) (then (return (i32.const 0))))
      (drop (i32.atomic.rmw.add ${word('active')} (i32.const 1)))
      (if (i32.atomic.load ${word('open')})
        (then (if (i32.lt_s (local.get $id) (i32.load ${word('team')})) (then (call $work)))))
      (call $leave)
      (local.set $looks (i32.const ${patience}))
      (loop $look
        (br_if $more (i32.ne (i32.atomic.load ${word('epoch')}) (local.get $seen)))
        (local.set $looks (i32.sub (local.get $looks) (i32.const 1)))
        (br_if $look (local.get $looks)))
      (drop (memory.atomic.wait32 ${word('epoch')} (local.get $seen) (i64.const -1)))
      (br $more))
    (i32.const 0)
  )

  ;; A thread is done with the open loop.
  (func $leave
    (if (i32.eq (i32.atomic.rmw.sub ${word('active')} (i32.const 1)) (i32.const 1))
      (then (drop (memory.atomic.notify ${word('active')} (i32.const 1)))))
  )

  ;; A helping thread trapped: the loop is given up.
  (func (export "give_up")
    (i32.atomic.store ${word('trapped')} (i32.const 1))
    (i32.atomic.store ${word('next')} (i32.const 0x40000000))
    (call $leave)
  )`;
};
