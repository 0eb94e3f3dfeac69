/** A fake provider that records each request by its correlation id, with the usage that it reports. */
import { isJsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import type { Usage } from '#test/support/providers/openai/events.ts';
import { startUpstream, type UpstreamProtocol } from '#test/support/providers/upstream.ts';
import type { RecordedRequest, Respond } from '#test/support/providers/upstream-responses.ts';

export interface ProviderCall {
  /** Unique for each client request; retries of the gateway repeat it. */
  correlationId: string;
  /** Starts at 1. */
  attempt: number;
  stream: boolean;
  apiKey: string;
  usage: Usage;
  /** Set by a behaviour whose response is complete and includes usage. */
  reportsUsage: boolean;
}

export type ProviderBehaviour = (call: ProviderCall) => Respond;

export interface ReceivedCall extends ProviderCall {
  ended: Awaited<RecordedRequest['ended']> | null;
}

export interface CountingProvider {
  baseUrl: string;
  behaviour: ProviderBehaviour;
  /** Keys are correlation ids. */
  calls: ReadonlyMap<string, readonly ReceivedCall[]>;
  inFlight(): number;
  clear(): void;
  stop(): Promise<void>;
}

export async function startCountingProvider(defaultBehaviour: ProviderBehaviour): Promise<CountingProvider> {
  const calls = new Map<string, ReceivedCall[]>();
  const protocol: UpstreamProtocol<ProviderBehaviour> = {
    path: '/v1',
    respond(request, behaviour) {
      // The upstream keeps all requests for assertions; here they would fill the memory.
      void upstream.takeRequest();
      upstream.requests.length = 0;
      return behaviour(recordCall(calls, request));
    },
  };
  const upstream = await startUpstream(protocol, defaultBehaviour);
  return {
    baseUrl: upstream.baseUrl,
    get behaviour() {
      return upstream.behaviour;
    },
    set behaviour(behaviour) {
      upstream.behaviour = behaviour;
    },
    calls,
    inFlight: () => [...calls.values()].flat().filter(({ ended }) => ended === null).length,
    clear: () => calls.clear(),
    stop: upstream.stop,
  };
}

function recordCall(calls: Map<string, ReceivedCall[]>, request: RecordedRequest): ReceivedCall {
  const body = parseJson(request.body.toString());
  if (!isJsonObject(body) || typeof body.user !== 'string')
    throw new Error('The request has no correlation id in `user`');
  const earlier = calls.get(body.user) ?? [];
  const call: ReceivedCall = {
    correlationId: body.user,
    attempt: earlier.length + 1,
    stream: body.stream === true,
    apiKey: String(request.headers.authorization).replace('Bearer ', ''),
    usage: createUsage(body.user),
    reportsUsage: false,
    ended: null,
  };
  calls.set(body.user, [...earlier, call]);
  void request.ended.then((ended) => {
    call.ended = ended;
  });
  return call;
}

/** Usage differs between correlation ids, so that counting one request instead of another changes the sum. */
function createUsage(correlationId: string): Usage {
  const number = Number(correlationId.split('-').at(-1));
  const [prompt_tokens, completion_tokens] = [11 + (number % 97), 3 + (number % 31)];
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
