/** The Responses API with the clients that people use. `providers.test.ts` runs these tests with its gateway and its fakes. */
import type { LocalGateway } from '#local/local-gateway.ts';
import type { FakeProvider } from '#test/support/providers/fake-providers.ts';
import { scriptResponses } from '#test/support/responses/script-turns.ts';
import { describeErrors } from './responses/errors.ts';
import { describeRecorded } from './responses/recorded.ts';
import type { RunningResponses } from './responses/running.ts';
import { describeSdks } from './responses/sdks.ts';

interface Running {
  gateway: LocalGateway;
  /** By provider. */
  upstreams: ReadonlyMap<string, FakeProvider>;
}

/** `running` is called in tests, when the gateway has started. */
export function describeResponses(running: () => Running): void {
  const upstreamOf = (model: string) => {
    const upstream = running().upstreams.get(model.slice(0, model.indexOf('/')));
    if (upstream === undefined) throw new Error(`No fake provider for ${model}`);
    return upstream;
  };
  const responses: RunningResponses = {
    gateway: () => running().gateway,
    upstreamOf,
    script: (model, turns) =>
      scriptResponses({ gateway: running().gateway, upstream: upstreamOf(model), model }, turns),
  };
  describeSdks(responses);
  describeRecorded(responses);
  describeErrors(responses);
}
