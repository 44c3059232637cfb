import type { Binding } from '../../../source/scope.js';
import type { Names, Slot } from './term.js';

/** What the names of one call of a function are bound to. Each call has its own; closures see that of the call around them. */
export class Env implements Names {
  private readonly slots = new Map<Binding, Slot>();

  constructor(private readonly parent?: Names) {}

  bind(binding: Binding, slot: Slot): void {
    this.slots.set(binding, slot);
  }

  lookup(binding: Binding): Slot | undefined {
    const slot = this.slots.get(binding) ?? this.parent?.lookup(binding);
    return slot?.is === 'pending' && slot.slot ? slot.slot : slot;
  }
}
