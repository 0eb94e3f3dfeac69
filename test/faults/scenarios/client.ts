import { withDisconnects } from '../harness/client-traffic.ts';
import { respondSlowly } from '../harness/provider-behaviours.ts';
import type { Scenario } from '../scenario.ts';

export const clientScenarios: readonly Scenario[] = [
  {
    fault: 'clients disconnect, before the response and during it',
    correlationIdPrefix: 'disconnect',
    requests: { long: 1600 },
    hasExpectedEffects: ({ outcomes }) => (outcomes.client_closed ?? 0) > 0,
    run({ environment, random, startTraffic }) {
      environment.provider.behaviour = respondSlowly(4);
      return startTraffic({ clientBehaviour: withDisconnects(random, 1) }).done;
    },
  },
];
