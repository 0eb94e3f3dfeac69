/** A provider that remembers what it was asked, by the mark in each request, and what it said of usage. */
import { isJsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import type { Usage } from '#test/support/providers/openai/openai-events.ts';
import { startUpstream, type UpstreamProtocol } from '#test/support/providers/upstream.ts';
import type { RecordedRequest, Respond } from '#test/support/providers/upstream-responses.ts';

export interface ProviderCall {
  /** The request's own: no other has it. */
  mark: string;
  /** How often the mark has come, this time included. */
  attempt: number;
  stream: boolean;
  apiKey: string;
  /** What the call comes to. */
  usage: Usage;
  /** Set by an answer that says what the call comes to, and is whole. */
  statesUsage: boolean;
}

export type Behaviour = (call: ProviderCall) => Respond;

/** A request that has come whole. */
export interface ReceivedCall extends ProviderCall {
  /** `null` while it is under way. */
  ended: Awaited<RecordedRequest['ended']> | null;
}

export interface CountingProvider {
  baseUrl: string;
  /** Of the requests from now on. */
  behaviour: Behaviour;
  /** By mark. */
  calls: ReadonlyMap<string, readonly ReceivedCall[]>;
  underWay(): number;
  /** Forgets all calls. */
  clear(): void;
  stop(): Promise<void>;
}

export async function startCountingProvider(usual: Behaviour): Promise<CountingProvider> {
  const calls = new Map<string, ReceivedCall[]>();
  const protocol: UpstreamProtocol<Behaviour> = {
    path: '/v1',
    respond(request, behaviour) {
      // It keeps all requests for whoever looks at them later; here there are too many.
      void upstream.takeRequest();
      upstream.requests.length = 0;
      return behaviour(remember(calls, request));
    },
  };
  const upstream = await startUpstream(protocol, usual);
  return {
    baseUrl: upstream.baseUrl,
    get behaviour() {
      return upstream.behaviour;
    },
    set behaviour(behaviour) {
      upstream.behaviour = behaviour;
    },
    calls,
    underWay: () => [...calls.values()].flat().filter(({ ended }) => ended === null).length,
    clear: () => calls.clear(),
    stop: upstream.stop,
  };
}

function remember(calls: Map<string, ReceivedCall[]>, request: RecordedRequest): ReceivedCall {
  const body = parseJson(request.body.toString());
  if (!isJsonObject(body) || typeof body.user !== 'string')
    throw new Error('A request came without its mark');
  const earlier = calls.get(body.user) ?? [];
  const call: ReceivedCall = {
    mark: body.user,
    attempt: earlier.length + 1,
    stream: body.stream === true,
    apiKey: String(request.headers.authorization).replace('Bearer ', ''),
    usage: usageOf(body.user),
    statesUsage: false,
    ended: null,
  };
  calls.set(body.user, [...earlier, call]);
  void request.ended.then((ended) => {
    call.ended = ended;
  });
  return call;
}

/** Differs from mark to mark, so that a sum that counts one for another is wrong. */
function usageOf(mark: string): Usage {
  const number = Number(mark.split('-').at(-1));
  const [prompt_tokens, completion_tokens] = [11 + (number % 97), 3 + (number % 31)];
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
