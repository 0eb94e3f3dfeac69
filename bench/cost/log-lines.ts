/** The lines that one chat leaves in CloudWatch, as Lambda writes them: the function's own, and Lambda's two. */
import { PassThrough } from 'node:stream';
import { type Exchange, startExchange } from '#lambdas/inference/chat/exchange.ts';
import { forwardedLine } from '#lambdas/inference/chat/log-entry.ts';
import { parseChatRequest } from '#lambdas/inference/chat-request.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';
import type { Metadata } from '#lambdas/request-log/metadata.ts';

const requestId = '01a1fa57-81ee-498e-89ae-413ad5140b00';
const receivedAtMs = Date.UTC(2026, 0, 31, 9, 30);
const time = new Date(receivedAtMs).toISOString();

const arrival = {
  request: { method: 'POST', path: '/', headers: {}, readBody: () => '' },
  response: createResponseSink(new PassThrough(), () => new PassThrough()),
  deadlineMs: receivedAtMs,
  signal: new AbortController().signal,
};
const apiKey = {
  id: 'key_AAAAAAAAAAAAAAAA',
  organization_id: 'org_AAAAAAAAAAAAAAAA',
  name: 'production',
  last_four: 'AAAA',
  created_at: time,
  expires_at: null,
  revoked_at: null,
  log_shards: 1,
};
const exchange: Exchange = {
  ...startExchange(arrival, apiKey, receivedAtMs),
  model: 'gpt-4o',
  chat: parseChatRequest('{"model":"openai/gpt-4o","messages":[],"stream":true}'),
  provider: {
    name: 'openai',
    credential: 'required',
    remedy: '',
    prices: null,
    prepare: () => Promise.reject(new Error('Nothing is sent')),
  },
  forwarded: true,
};

/** What the function prints. Lambda wraps a text into an object, and so escapes what is in it. */
export function printedLine(metadata: Metadata): string {
  const message = forwardedLine({ ...exchange, metadata }, receivedAtMs);
  return JSON.stringify({ timestamp: time, level: 'INFO', requestId, message });
}

const startRecord = {
  requestId,
  functionArn:
    'arn:aws:lambda:us-east-1:123456789012:function:AiGateway-ChatFunction1234ABCD-AbCdEfGhIjKl:live',
  version: '12',
};
const reportRecord = {
  requestId,
  metrics: { durationMs: 5012.345, billedDurationMs: 5013, memorySizeMB: 128, maxMemoryUsedMB: 101 },
  status: 'success',
};

/** Lambda's own, at its level INFO: the beginning of an invocation, and what it took. */
export const platformLines: readonly string[] = [
  JSON.stringify({ time, type: 'platform.start', record: startRecord }),
  JSON.stringify({ time, type: 'platform.report', record: reportRecord }),
];

export function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
}
