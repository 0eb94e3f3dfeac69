import type { LocalGateway } from '#local/local-gateway.ts';
import type { FakeProvider } from '#test/support/providers/fake-providers.ts';
import type { Turn } from '#test/support/providers/openai/responses/turns.ts';
import type { Script } from '#test/support/providers/script-turns.ts';
import type { ResponsesModel } from '#test/support/responses/script-turns.ts';

/** The gateway of `providers.test.ts` with its fake providers, once they have started. */
export interface RunningResponses {
  gateway(): LocalGateway;
  /** The fake of the provider that the name of the model begins with. */
  upstreamOf(model: string): FakeProvider;
  script(model: ResponsesModel, turns?: readonly Turn[]): Script;
}
