/** The addon for whoever may not need it: it is loaded, and libtorch with it, when something of it is used. */
import type { Addon } from '../contract/native.ts';
import { loadAddon } from './load.ts';

export const lazyAddon: Addon = new Proxy({} as Addon, {
  get(_nothing, key) {
    const addon = loadAddon();
    const found: unknown = Reflect.get(addon, key);
    return typeof found === 'function' ? found.bind(addon) : found;
  },
});
