import { describe, expect, it } from 'vitest';
import type { HttpReply, OutgoingRequest } from '#lambdas/inference/providers/http/client.ts';
import { createDeadlineWatch } from '#lambdas/inference/providers/http/deadlines.ts';
import {
  createHttpPrepare,
  type ErrorReply,
  type HttpProtocol,
} from '#lambdas/inference/providers/http/protocol.ts';
import { noFacts, startStreamFacts } from '#lambdas/inference/providers/provider.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { piecesOf, type ReadPieces, readFrom } from '#test/support/pieces.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';

const outgoing: OutgoingRequest = { url: new URL('http://localhost/x'), headers: { a: 'b' }, body: '{}' };

/** Answers in capitals; a chunk with `!` is a failure. */
const shouting: HttpProtocol = {
  writeRequest: () => ({ outgoing, ignoredParameters: ['seed'] }),
  requestIdHeaders: ['x-id'],
  readError: ({ status, headers, body }: ErrorReply, { model }) =>
    new GatewayError('provider_error', { message: `${status} ${headers['x-id']} ${model} ${body}` }),
  readAnswer: (body, { model }) => ({
    body: Buffer.from(body.toString().toUpperCase()),
    facts: { ...noFacts, responseModel: model },
  }),
  createStreamReader: () => {
    const facts = startStreamFacts();
    return {
      facts,
      push(chunk) {
        if (chunk.includes('!')) facts.problem = new GatewayError('provider_error', { message: 'Failed' });
        return Buffer.from(chunk.toString().toUpperCase());
      },
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

/** Sends once, and notes what the transport was given and whether the reply's body was closed. */
async function send({ status = 200, headers = {}, pieces = ['a', 'b'], stream = false }: Reply) {
  const sent: OutgoingRequest[] = [];
  const body = { read: 0, closed: false };
  async function* read() {
    try {
      for (const piece of pieces) {
        body.read++;
        yield Buffer.from(piece);
      }
    } finally {
      body.closed = true;
    }
  }
  const watch = createDeadlineWatch({ firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 });
  const transport = async (request: OutgoingRequest): Promise<HttpReply> => {
    sent.push(request);
    return { status, headers, read: readFrom(read()) };
  };
  const prepared = await createHttpPrepare(shouting)(providerCall({ stream }));
  try {
    return {
      prepared,
      sent,
      body,
      reply: await prepared.send({ transport, watch, answerBytes: 10, lingerMs: 10 }),
    };
  } finally {
    watch.stop();
  }
}

async function collect(read: ReadPieces): Promise<string> {
  return (await piecesOf(read)).map(String).join('|');
}

async function streamOf(reply: Reply) {
  const sent = await send({ ...reply, headers: { 'content-type': 'text/event-stream', ...reply.headers } });
  if (sent.reply.kind !== 'stream') throw new Error(`Expected a stream, not ${sent.reply.kind}`);
  return { ...sent, reply: sent.reply };
}

describe('a protocol over HTTP', () => {
  it('sends what it wrote, once, and tells what it left out', async () => {
    const { prepared, sent } = await send({});
    expect([sent, prepared.ignoredParameters]).toEqual([[outgoing], ['seed']]);
  });

  it('does not send what it cannot write', async () => {
    const error = new GatewayError('unsupported_parameter', { message: 'No', param: 'n' });
    const prepare = createHttpPrepare({
      ...shouting,
      writeRequest: () => {
        throw error;
      },
    });
    await expect(prepare(providerCall({}))).rejects.toBe(error);
  });

  it('reads a whole answer when it is asked to', async () => {
    const { reply, body } = await send({ headers: { 'x-id': 'r1', 'content-type': 'application/json' } });
    expect([reply.kind, reply.requestId, body.read]).toEqual(['answer', 'r1', 0]);
    const answer = reply.kind === 'answer' ? await reply.read() : null;
    expect(answer).toEqual({ body: Buffer.from('AB'), facts: { ...noFacts, responseModel: 'a-model' } });
  });

  it('does not read an answer that is too large to its end', async () => {
    const { reply, body } = await send({ pieces: ['12345678', '90', '1', '2', '3'] });
    const reading = reply.kind === 'answer' ? reply.read() : null;
    await expect(reading).rejects.toMatchObject({ code: 'provider_error' });
    expect(body).toEqual({ read: 3, closed: true });
  });

  it.each([199, 300, 302, 400, 401, 429, 500, 529])(
    'reads an error of status %i, streamed or not',
    async (status) => {
      const contentTypes = ['application/json', 'text/event-stream'];
      for (const contentType of contentTypes) {
        const headers = { 'content-type': contentType, 'x-id': 'r1' };
        const { reply } = await send({ status, headers, stream: true });
        expect([reply.kind, reply.requestId]).toEqual(['refusal', 'r1']);
        expect(reply.kind === 'refusal' && reply.error.message).toBe(`${status} r1 a-model ab`);
      }
    },
  );

  it('keeps the status of an error that cannot be read', async () => {
    const { reply } = await send({ status: 429, headers: { 'x-id': 'r1' }, pieces: ['12345678901'] });
    expect([reply.kind, reply.requestId]).toEqual(['refusal', 'r1']);
    expect(reply.kind === 'refusal' && reply.error.message).toBe('429 r1 a-model ');
  });

  it.each<[string, string | undefined, boolean, string]>([
    ['a stream', 'text/event-stream', true, 'stream'],
    ['a stream that nobody asked for', 'text/event-stream; charset=utf-8', false, 'stream'],
    ['a stream in other letters', 'Text/Event-Stream', true, 'stream'],
    ['a whole answer to who asked for a stream', 'application/json', true, 'answer'],
    ['something else', 'text/event-streams', true, 'answer'],
    ['what was asked for, a stream', undefined, true, 'stream'],
    ['what was asked for, a whole answer', undefined, false, 'answer'],
  ])('takes the provider’s word for %s', async (_, contentType, stream, kind) => {
    const headers: Record<string, string> = contentType ? { 'content-type': contentType } : {};
    expect((await send({ headers, stream })).reply.kind).toBe(kind);
  });

  it('has no request id where the provider gave none', async () => {
    expect((await send({})).reply.requestId).toBeNull();
  });
});

describe('a streamed reply over HTTP', () => {
  it('is translated chunk by chunk, and ended', async () => {
    const { reply, body } = await streamOf({});
    expect(await collect(reply.read)).toBe('A|B|END');
    expect(body).toEqual({ read: 2, closed: true });
  });

  it('ends with its first problem, and the connection with it', async () => {
    const { reply, body } = await streamOf({ pieces: ['a', '!', 'b', 'c'] });
    expect(await collect(reply.read)).toBe('A|!');
    expect(reply.facts.problem?.message).toBe('Failed');
    expect(body).toEqual({ read: 2, closed: true });
  });

  it('ends the connection when its reader goes', async () => {
    const { reply, body } = await streamOf({});
    const gone = new Error('The reader has gone');
    const reading = reply.read((piece) => {
      expect(piece.toString()).toBe('A');
      throw gone;
    });
    await expect(reading).rejects.toBe(gone);
    expect(body).toEqual({ read: 1, closed: true });
  });
});
