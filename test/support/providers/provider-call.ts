/** Calls to a provider's protocol without a network: what goes out can be looked at, and what comes back be written. */
import { parseChatRequest } from '#lambdas/inference/chat/request.ts';
import type { OutgoingRequest } from '#lambdas/inference/providers/http/client.ts';
import { createDeadlineWatch } from '#lambdas/inference/providers/http/deadlines.ts';
import type {
  Connection,
  Prepare,
  ProviderCall,
  ProviderReply,
} from '#lambdas/inference/providers/provider.ts';
import { readFrom } from '../pieces.ts';

export const exampleRequestId = '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f02';
const exampleReceivedAtMs = 1_795_132_800_000;

/** `request` as the caller sends it; its model needs no prefix here. */
export function providerCall(
  request: Record<string, unknown>,
  differences: Partial<Omit<ProviderCall, 'request'>> = {},
): ProviderCall {
  const body = { model: 'a-model', messages: [{ role: 'user', content: 'Hi' }], ...request };
  return {
    request: parseChatRequest(JSON.stringify(body)),
    model: String(body.model),
    apiKey: 'sk-1',
    callerHeaders: {},
    requestId: exampleRequestId,
    receivedAtMs: exampleReceivedAtMs,
    ...differences,
  };
}

export interface ScriptedReply {
  status?: number;
  headers?: Record<string, string>;
  /** As the provider sends it: the pieces of a stream, or a value that is sent as JSON. */
  body?: readonly (Buffer | string)[] | object;
}

/** What the call sends, and what becomes of the reply. */
export async function exchange(prepare: Prepare, call: ProviderCall, scripted: ScriptedReply = {}) {
  const prepared = await prepare(call);
  const sent: OutgoingRequest[] = [];
  const watch = createDeadlineWatch({ firstByteMs: 10_000, idleMs: 10_000, totalMs: 10_000 });
  const connection: Connection = {
    watch,
    answerBytes: 1_000_000,
    lingerMs: 10_000,
    async transport(outgoing) {
      sent.push(outgoing);
      return {
        status: scripted.status ?? 200,
        headers: headersOf(scripted),
        read: readFrom(piecesOf(scripted)),
      };
    },
  };
  const reply: ProviderReply = await prepared.send(connection);
  watch.stop();
  const [outgoing] = sent;
  if (outgoing === undefined || sent.length > 1) throw new Error(`Expected one request, not ${sent.length}`);
  return { outgoing, ignoredParameters: prepared.ignoredParameters, reply };
}

function headersOf({ headers, body }: ScriptedReply): Record<string, string> {
  const contentType = Array.isArray(body) ? 'text/event-stream' : 'application/json';
  return { 'content-type': contentType, ...headers };
}

async function* piecesOf({ body = {} }: ScriptedReply): AsyncGenerator<Buffer> {
  const pieces = Array.isArray(body) ? body : [JSON.stringify(body)];
  for (const piece of pieces) yield Buffer.from(piece);
}
