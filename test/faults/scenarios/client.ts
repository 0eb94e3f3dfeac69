import { withDisconnects } from '../harness/client-traffic.ts';
import { respondSlowly } from '../harness/provider-behaviours.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';

const requests = { long: 1600 };

function run({ environment, random, startTraffic }: ScenarioContext): Promise<void> {
  environment.provider.behaviour = respondSlowly(4);
  return startTraffic({ clientBehaviour: withDisconnects(random, 1) }).done;
}

export const clientScenarios: readonly Scenario[] = [
  {
    fault: 'clients disconnect, before the response and during it',
    correlationIdPrefix: 'disconnect',
    requests,
    hasExpectedEffects: ({ outcomes }) => Object.keys(outcomes).join() === 'completed',
    run,
  },
  {
    fault: 'clients disconnect, and the function is told',
    correlationIdPrefix: 'told-disconnect',
    requests,
    reportDisconnects: true,
    hasExpectedEffects: ({ outcomes }) => (outcomes.client_closed ?? 0) > 0,
    run,
  },
];
