import { describe, expect, it } from 'vitest';
import type { OutgoingRequest } from '#lambdas/inference/providers/http/client.ts';
import { readResponse } from '#lambdas/inference/providers/http/response.ts';
import {
  createPrepare,
  type ErrorResponse,
  noFacts,
  type Protocol,
  startStreamFacts,
} from '#lambdas/inference/providers/provider.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';
import { readChunks } from '#test/support/read-chunks.ts';

const outgoing: OutgoingRequest = { url: new URL('http://localhost/x'), headers: { a: 'b' }, body: '{}' };

/** Answers in capitals. */
const shouting: Protocol = {
  translateRequest: () => ({ outgoing, ignoredParameters: ['seed'] }),
  requestIdHeaders: ['x-id'],
  readError: ({ status, headers, body }: ErrorResponse, { model }) =>
    new GatewayError('provider_error', { message: `${status} ${headers['x-id']} ${model} ${body}` }),
  readCompletion: (body, { model }) => ({
    body: Buffer.from(body.toString().toUpperCase()),
    facts: { ...noFacts, responseModel: model },
  }),
  createStreamReader: () => {
    const facts = startStreamFacts();
    return {
      facts,
      push: (chunk) => Buffer.from(chunk.toString().toUpperCase()),
      end: () => Buffer.from('END'),
    };
  },
};

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  pieces?: string[];
  stream?: boolean;
}

/** Reads the head of a response, and notes how far its body was read and whether it was closed. */
async function read({ status = 200, headers = {}, pieces = ['a', 'b'], stream = false }: Reply) {
  const body = { read: 0, closed: false };
  async function* bytes() {
    try {
      for (const piece of pieces) {
        body.read++;
        yield Buffer.from(piece);
      }
    } finally {
      body.closed = true;
    }
  }
  const prepared = await createPrepare(() => shouting)(providerCall({ stream }));
  return { body, response: await readResponse(prepared, { status, headers, read: readChunks(bytes()) }, 10) };
}

describe('a protocol over HTTP', () => {
  it('prepares what it wrote, and names what it left out', async () => {
    const call = providerCall({});
    expect(await createPrepare(() => shouting)(call)).toEqual({
      call,
      protocol: shouting,
      outgoing,
      ignoredParameters: ['seed'],
    });
  });

  it('prepares nothing that it cannot write', async () => {
    const error = new GatewayError('unsupported_parameter', { message: 'No', param: 'n' });
    const prepare = createPrepare(() => ({
      ...shouting,
      translateRequest: () => {
        throw error;
      },
    }));
    await expect(prepare(providerCall({}))).rejects.toBe(error);
  });

  it('reads a whole answer when it is asked to', async () => {
    const { response, body } = await read({ headers: { 'x-id': 'r1', 'content-type': 'application/json' } });
    expect([response.kind, response.requestId, body.read]).toEqual(['completion', 'r1', 0]);
    const answer = response.kind === 'completion' ? await response.read() : null;
    expect(answer).toEqual({ body: Buffer.from('AB'), facts: { ...noFacts, responseModel: 'a-model' } });
  });

  it('does not read an answer that is too large to its end', async () => {
    const { response, body } = await read({ pieces: ['12345678', '90', '1', '2', '3'] });
    const reading = response.kind === 'completion' ? response.read() : null;
    await expect(reading).rejects.toMatchObject({ code: 'provider_error' });
    expect(body).toEqual({ read: 3, closed: true });
  });

  it.each([199, 300, 302, 400, 401, 429, 500, 529])(
    'reads an error of status %i, streamed or not',
    async (status) => {
      const contentTypes = ['application/json', 'text/event-stream'];
      for (const contentType of contentTypes) {
        const headers = { 'content-type': contentType, 'x-id': 'r1' };
        const { response } = await read({ status, headers, stream: true });
        expect(response).toMatchObject({ kind: 'refusal', requestId: 'r1', status, retryAfterMs: null });
        expect(response.kind === 'refusal' && response.error.message).toBe(`${status} r1 a-model ab`);
      }
    },
  );

  it('keeps the status of an error that cannot be read', async () => {
    const { response } = await read({ status: 429, headers: { 'x-id': 'r1' }, pieces: ['12345678901'] });
    expect([response.kind, response.requestId]).toEqual(['refusal', 'r1']);
    expect(response.kind === 'refusal' && response.error.message).toBe('429 r1 a-model ');
  });

  it.each<[string, string | undefined, boolean, string]>([
    ['a stream', 'text/event-stream', true, 'stream'],
    ['a stream that nobody asked for', 'text/event-stream; charset=utf-8', false, 'stream'],
    ['a stream in other letters', 'Text/Event-Stream', true, 'stream'],
    ['a whole answer to who asked for a stream', 'application/json', true, 'completion'],
    ['something else', 'text/event-streams', true, 'completion'],
    ['what was asked for, a stream', undefined, true, 'stream'],
    ['what was asked for, a whole answer', undefined, false, 'completion'],
  ])('takes the provider’s word for %s', async (_, contentType, stream, kind) => {
    const headers: Record<string, string> = contentType ? { 'content-type': contentType } : {};
    expect((await read({ headers, stream })).response.kind).toBe(kind);
  });

  it('has no request id where the provider gave none', async () => {
    expect((await read({})).response.requestId).toBeNull();
  });
});
