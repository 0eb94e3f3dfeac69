/** Creates an exchange right after authentication, without an entry point. */
import { PassThrough } from 'node:stream';
import { chat } from '#lambdas/inference/chat/operation.ts';
import { type Exchange, startExchange } from '#lambdas/inference/exchange/exchange.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { requestKey } from '../api-keys.ts';

export const exampleReceivedAtMs = Date.UTC(2026, 0, 31, 9, 30);

export function exampleExchange(responseBody = new PassThrough(), logShards = 1): Exchange {
  const incoming = {
    request: {
      method: 'POST',
      path: '/ai/chat/completions',
      headers: {},
      readQuery: () => ({}),
      readBody: () => '',
    },
    response: createResponseSink(responseBody, () => responseBody),
    deadlineMs: exampleReceivedAtMs + 60_000,
    signal: new AbortController().signal,
  };
  const apiKey = requestKey({ log_shards: logShards });
  return startExchange(incoming, { operation: chat, apiKey, receivedAtMs: exampleReceivedAtMs });
}
