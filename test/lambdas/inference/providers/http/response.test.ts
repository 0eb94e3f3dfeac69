import { describe, expect, it } from 'vitest';
import { startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { OutgoingRequest } from '#lambdas/inference/providers/http/client.ts';
import { readResponse } from '#lambdas/inference/providers/http/response.ts';
import {
  createPrepare,
  type ErrorResponse,
  type Protocol,
  type ProviderCall,
  type ResponseReaders,
} from '#lambdas/inference/providers/provider.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { readChunks } from '#test/support/http/read-chunks.ts';
import { providerCall, translatedChunks } from '#test/support/providers/provider-call.ts';

const outgoing: OutgoingRequest = { url: new URL('http://localhost/x'), headers: { a: 'b' }, body: '{}' };

const outputLimit = () => ({ maxOutputTokens: 7, completions: 2 });

const upperCaseProtocol: Protocol = {
  translateRequest: () => ({ outgoing, ignoredParameters: ['seed'], outputLimit }),
  requestIdHeaders: ['x-id'],
  loadReaders: async (call) => upperCaseReaders(call),
};

const upperCaseReaders = ({ model }: ProviderCall): ResponseReaders => ({
  readError: ({ status, headers, body }: ErrorResponse) =>
    new GatewayError('provider_error', { message: `${status} ${headers['x-id']} ${model} ${body}` }),
  createReader: ({ 'x-tier': serviceTier = null }) => {
    const facts = { ...startReaderFacts(), responseModel: model, serviceTier };
    return {
      facts,
      push: (chunk) => Buffer.from(chunk.toString().toUpperCase()),
      end: () => Buffer.from('END'),
    };
  },
});

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
  return { body, response: await readResponse(prepared, { status, headers, read: readChunks(bytes()) }) };
}

describe('createPrepare', () => {
  it('returns the translated request, the ignored parameters and the limit of the output', async () => {
    const call = providerCall({});
    expect(await createPrepare(() => upperCaseProtocol)(call)).toEqual({
      call,
      protocol: {
        requestIdHeaders: upperCaseProtocol.requestIdHeaders,
        rememberRefusals: expect.any(Function),
        loadReaders: expect.any(Function),
      },
      outgoing,
      ignoredParameters: ['seed'],
      outputLimit,
      prepareAgain: expect.any(Function),
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
  it('reads the body of a successful response only when requested', async () => {
    const { response, body } = await read({ headers: { 'x-id': 'r1', 'content-type': 'application/json' } });
    expect([response.kind, response.requestId, body.read]).toEqual(['success', 'r1', 0]);
    const chunks = response.kind === 'success' ? await translatedChunks(response) : [];
    expect(chunks.map(String)).toEqual(['A', 'B', 'END']);
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

  it('keeps the status of an error response that is larger than 1 MB', async () => {
    const chunks = ['x'.repeat(1024 * 1024), 'x'];
    const { response, body } = await read({ status: 429, headers: { 'x-id': 'r1' }, chunks });
    expect([response.kind, response.requestId]).toEqual(['failure', 'r1']);
    expect(response.kind === 'failure' && response.error.message).toBe('429 r1 a-model ');
    expect(body.closed).toBe(true);
  });

  it.each(['application/json', 'text/event-stream', 'text/plain', undefined])(
    'passes the call and the headers of a success to the protocol, whatever its content type (%s)',
    async (contentType) => {
      const headers = { ...(contentType && { 'content-type': contentType }), 'x-tier': 'flex' };
      const { response } = await read({ headers });
      expect(response.kind === 'success' && response.reader.facts).toMatchObject({
        responseModel: 'a-model',
        serviceTier: 'flex',
      });
    },
  );

  it('returns a null request id when the provider sent none', async () => {
    expect((await read({})).response.requestId).toBeNull();
  });
});
