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
import { readChunks } from '#test/support/http/read-chunks.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';

const outgoing: OutgoingRequest = { url: new URL('http://localhost/x'), headers: { a: 'b' }, body: '{}' };

const outputLimit = () => ({ maxOutputTokens: 7, completions: 2 });

const upperCaseProtocol: Protocol = {
  translateRequest: () => ({ outgoing, ignoredParameters: ['seed'], outputLimit }),
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

interface ScriptedResponse {
  status?: number;
  headers?: Record<string, string>;
  chunks?: string[];
  stream?: boolean;
}

/** Reads the response head; `body` records the chunks read and if the body was closed. */
async function read({ status = 200, headers = {}, chunks = ['a', 'b'], stream = false }: ScriptedResponse) {
  const body = { read: 0, closed: false };
  async function* bytes() {
    try {
      for (const chunk of chunks) {
        body.read++;
        yield Buffer.from(chunk);
      }
    } finally {
      body.closed = true;
    }
  }
  const prepared = await createPrepare(() => upperCaseProtocol)(providerCall({ stream }));
  return { body, response: await readResponse(prepared, { status, headers, read: readChunks(bytes()) }, 10) };
}

describe('createPrepare', () => {
  it('returns the translated request, the ignored parameters and the limit of the output', async () => {
    const call = providerCall({});
    expect(await createPrepare(() => upperCaseProtocol)(call)).toEqual({
      call,
      protocol: upperCaseProtocol,
      outgoing,
      ignoredParameters: ['seed'],
      outputLimit,
    });
  });

  it('throws the error of the request translation', async () => {
    const error = new GatewayError('unsupported_parameter', { message: 'No', param: 'n' });
    const prepare = createPrepare(() => ({
      ...upperCaseProtocol,
      translateRequest: () => {
        throw error;
      },
    }));
    await expect(prepare(providerCall({}))).rejects.toBe(error);
  });
});

describe('readResponse', () => {
  it('reads the body of a non-streaming response only when requested', async () => {
    const { response, body } = await read({ headers: { 'x-id': 'r1', 'content-type': 'application/json' } });
    expect([response.kind, response.requestId, body.read]).toEqual(['completion', 'r1', 0]);
    const completion = response.kind === 'completion' ? await response.read() : null;
    expect(completion).toEqual({ body: Buffer.from('AB'), facts: { ...noFacts, responseModel: 'a-model' } });
  });

  it('stops reading a response that exceeds the size limit', async () => {
    const { response, body } = await read({ chunks: ['12345678', '90', '1', '2', '3'] });
    const reading = response.kind === 'completion' ? response.read() : null;
    await expect(reading).rejects.toMatchObject({ code: 'provider_error' });
    expect(body).toEqual({ read: 3, closed: true });
  });

  it.each([199, 300, 302, 400, 401, 429, 500, 529])(
    'reads an error with status %i, also with the content type of a stream',
    async (status) => {
      const contentTypes = ['application/json', 'text/event-stream'];
      for (const contentType of contentTypes) {
        const headers = { 'content-type': contentType, 'x-id': 'r1' };
        const { response } = await read({ status, headers, stream: true });
        expect(response).toMatchObject({ kind: 'failure', requestId: 'r1', status, retryAfterMs: null });
        expect(response.kind === 'failure' && response.error.message).toBe(`${status} r1 a-model ab`);
      }
    },
  );

  it('keeps the status of an error response that exceeds the size limit', async () => {
    const { response } = await read({ status: 429, headers: { 'x-id': 'r1' }, chunks: ['12345678901'] });
    expect([response.kind, response.requestId]).toEqual(['failure', 'r1']);
    expect(response.kind === 'failure' && response.error.message).toBe('429 r1 a-model ');
  });

  it.each<[string, string | undefined, boolean, string]>([
    ['as a stream', 'text/event-stream', true, 'stream'],
    ['as a stream although none was requested', 'text/event-stream; charset=utf-8', false, 'stream'],
    ['as a stream in any letter case', 'Text/Event-Stream', true, 'stream'],
    ['as a completion although a stream was requested', 'application/json', true, 'completion'],
    ['as a completion if it only starts with text/event-stream', 'text/event-streams', true, 'completion'],
    ['as a stream if a stream was requested', undefined, true, 'stream'],
    ['as a completion if no stream was requested', undefined, false, 'completion'],
  ])('reads a response %s: content type %s', async (_, contentType, stream, kind) => {
    const headers: Record<string, string> = contentType ? { 'content-type': contentType } : {};
    expect((await read({ headers, stream })).response.kind).toBe(kind);
  });

  it.each(['application/json', 'text/event-stream'])(
    'passes the headers of a response with the content type %s to the protocol',
    async (contentType) => {
      const headers = { 'content-type': contentType, 'x-tier': 'flex' };
      const tiers: (string | undefined)[] = [];
      const prepared = await createPrepare(() => ({
        ...upperCaseProtocol,
        readCompletion(body, call, { 'x-tier': tier }) {
          tiers.push(tier);
          return upperCaseProtocol.readCompletion(body, call, {});
        },
        createStreamReader(call, { 'x-tier': tier }) {
          tiers.push(tier);
          return upperCaseProtocol.createStreamReader(call, {});
        },
      }))(providerCall({}));
      const response = await readResponse(prepared, { status: 200, headers, read: readChunks([]) }, 10);
      if (response.kind === 'completion') await response.read();

      expect(tiers).toEqual(['flex']);
    },
  );

  it('returns a null request id when the provider sent none', async () => {
    expect((await read({})).response.requestId).toBeNull();
  });
});
