import { chatAwaitScenes } from '../every-await/chat-awaits.ts';
import { recoveryAwaitScene } from '../every-await/recovery-awaits.ts';
import { rollupAwaitScene } from '../every-await/rollup-awaits.ts';
import type { Scene } from '../scene.ts';
import { callerScenes } from './caller-scenes.ts';
import { killScenes } from './kill-scenes.ts';
import { providerScenes } from './provider-scenes.ts';
import { storeScenes } from './store-scenes.ts';

/** In the order of the table. */
export const allScenes: readonly Scene[] = [
  ...storeScenes,
  ...providerScenes,
  ...callerScenes,
  ...killScenes,
  ...chatAwaitScenes,
  rollupAwaitScene,
  recoveryAwaitScene,
];
