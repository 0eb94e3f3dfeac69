/**
 * `node:http` without a network: requests are answered in this process, and those to the provider in the pieces that a
 * test plays. What is left to be counted is what the function itself does.
 */
import { EventEmitter } from 'node:events';
import type http from 'node:http';
import { apiKeyResponse, secretResponse } from './aws-responses.ts';

/** As much of an `IncomingMessage` as the function uses. */
export class FakeIncomingMessage extends EventEmitter {
  readonly statusCode = 200;
  readonly destroyed = false;
  readableEnded = false;
  readonly headers: Record<string, string>;

  constructor(headers: Record<string, string> = {}) {
    super();
    this.headers = headers;
  }

  setEncoding(): void {}
  pause(): void {}
  resume(): void {}

  emitChunks(pieces: readonly (Buffer | string)[]): void {
    for (const piece of pieces) this.emit('data', piece);
  }

  end(): void {
    this.readableEnded = true;
    this.emit('end');
    this.emit('close');
  }
}

/** As much of a `ClientRequest`. */
class PlayedRequest extends EventEmitter {
  readonly reusedSocket = true;
  readonly #answer: (request: PlayedRequest) => void;

  constructor(answer: (request: PlayedRequest) => void) {
    super();
    this.#answer = answer;
  }

  end(): void {
    setImmediate(this.#answer, this);
  }

  destroy(): void {}

  /** What the answer is read with is there in the next turn of the loop. */
  respond(message: FakeIncomingMessage, play: () => void): void {
    this.emit('response', message);
    setImmediate(play);
  }
}

const awsAnswers: Record<string, string> = {
  'DynamoDB_20120810.GetItem': apiKeyResponse,
  'DynamoDB_20120810.PutItem': '{}',
  'secretsmanager.GetSecretValue': secretResponse({ openai: { api_key: 'sk-upstream' } }),
};

export interface ProviderResponse {
  contentType: string;
  /** Is called when the function has begun to read. */
  play(message: FakeIncomingMessage): void;
}

/** To be called before the function is loaded; the provider is told what to answer each time. */
export function fakeNetwork(nextAnswer: () => ProviderResponse): { stop(): void } {
  // The object that the function's bundle takes `request` from.
  const node: { request: typeof http.request } = process.getBuiltinModule('node:http');
  const { request: whatItWas } = node;
  const play = (options: http.RequestOptions) => {
    const headers = Object(options.headers);
    return new PlayedRequest((request) => {
      const stored = awsAnswers[headers['x-amz-target']];
      if (stored === undefined) return playProvider(request, nextAnswer());
      const message = new FakeIncomingMessage();
      request.respond(message, () => {
        message.emitChunks([stored]);
        message.end();
      });
    });
  };
  node.request = play as unknown as typeof http.request;
  return {
    stop() {
      node.request = whatItWas;
    },
  };
}

function playProvider(request: PlayedRequest, { contentType, play }: ProviderResponse): void {
  const message = new FakeIncomingMessage({ 'content-type': contentType });
  request.respond(message, () => play(message));
}

/** Who reads the answer: as much of a `Writable` as the function uses, always ready for more. */
export class FakeClientResponse extends EventEmitter {
  readonly written: Buffer[] = [];
  writableFinished = false;

  write(piece: Buffer): boolean {
    this.written.push(piece);
    return true;
  }

  end(): void {
    this.writableFinished = true;
    setImmediate(() => this.emit('finish'));
  }
}
