import { chatAwaitScenarios } from '../kill-at-await/chat.ts';
import { recoveryAwaitScenario } from '../kill-at-await/recovery.ts';
import { rollupAwaitScenario } from '../kill-at-await/rollup.ts';
import { routeAwaitScenario } from '../kill-at-await/route.ts';
import { limitScenarios } from '../limits/scenarios.ts';
import type { Scenario } from '../scenario.ts';
import { clientScenarios } from './client.ts';
import { killScenarios } from './kill.ts';
import { providerScenarios } from './provider.ts';
import { storageScenarios } from './storage.ts';

/** In the order of the result table. */
export const allScenarios: readonly Scenario[] = [
  ...storageScenarios,
  ...providerScenarios,
  ...clientScenarios,
  ...limitScenarios,
  ...killScenarios,
  ...chatAwaitScenarios,
  routeAwaitScenario,
  rollupAwaitScenario,
  recoveryAwaitScenario,
];
