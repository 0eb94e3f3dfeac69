import type { Scenario, ScenarioContext } from '../scenario.ts';
import { withDisconnects } from '../support/client-traffic.ts';
import { respondSlowly } from '../support/provider-behaviours.ts';

const requests = { long: 1600 };

function run({ fixture, random, startTraffic }: ScenarioContext): Promise<void> {
  fixture.provider.behaviour = respondSlowly(4);
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
