/** Calls to a provider's protocol without a network: what goes out can be looked at, and what comes back be written. */
import { parseChatRequest } from '#lambdas/inference/chat-request.ts';
import { readReply } from '#lambdas/inference/providers/http/reply.ts';
import type { Prepare, ProviderCall, StreamReply } from '#lambdas/inference/providers/provider.ts';
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
  const httpReply = {
    status: scripted.status ?? 200,
    headers: headersOf(scripted),
    read: readFrom(piecesOf(scripted)),
  };
  const reply = await readReply(prepared, httpReply, 1_000_000);
  return { outgoing: prepared.outgoing, ignoredParameters: prepared.ignoredParameters, reply };
}

/** The pieces in which the caller gets a stream. */
export async function translatedPieces({ read, reader }: StreamReply): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  await read((chunk) => {
    if (reader.facts.problem === null) pieces.push(reader.push(chunk));
    return undefined;
  });
  return reader.facts.problem === null ? [...pieces, reader.end()] : pieces;
}

function headersOf({ headers, body }: ScriptedReply): Record<string, string> {
  const contentType = Array.isArray(body) ? 'text/event-stream' : 'application/json';
  return { 'content-type': contentType, ...headers };
}

async function* piecesOf({ body = {} }: ScriptedReply): AsyncGenerator<Buffer> {
  const pieces = Array.isArray(body) ? body : [JSON.stringify(body)];
  for (const piece of pieces) yield Buffer.from(piece);
}
