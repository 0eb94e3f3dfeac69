/** Callers who do not wait for their answers. */
import { hangingUp } from '../harness/callers.ts';
import { takesItsTime } from '../harness/provider-answers.ts';
import type { Scene } from '../scene.ts';

export const callerScenes: readonly Scene[] = [
  {
    fault: 'callers hang up, before the answer and amidst it',
    mark: 'hang-up',
    requests: { long: 3300 },
    isFelt: ({ outcomes }) => (outcomes.client_closed ?? 0) > 0,
    run({ world, random, traffic }) {
      world.provider.behaviour = takesItsTime(4);
      return traffic({ manners: hangingUp(random, 1) }).done;
    },
  },
];
