/**
 * Replaces the network of `node:http`: responses are emitted in this process, so that a test can count the work of the
 * function itself.
 */
import { EventEmitter } from 'node:events';
import type http from 'node:http';
import {
  isOrganizationRead,
  keyAccessResponse,
  organizationResponse,
  secretResponse,
} from '../aws/responses.ts';

/** The part of `IncomingMessage` that the function uses. */
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

  emitChunks(chunks: readonly (Buffer | string)[]): void {
    for (const chunk of chunks) this.emit('data', chunk);
  }

  end(): void {
    this.readableEnded = true;
    this.emit('end');
    this.emit('close');
  }
}

/** The part of `ClientRequest` that the function uses. */
class FakeClientRequest extends EventEmitter {
  readonly reusedSocket = true;
  readonly #respond: (request: FakeClientRequest) => void;

  constructor(respond: (request: FakeClientRequest) => void) {
    super();
    this.#respond = respond;
  }

  body = '';

  end(body: string | Buffer = ''): void {
    this.body = body.toString();
    setImmediate(this.#respond, this);
  }

  destroy(): void {}

  /** Emits the body in the next turn of the event loop, when the function has added its listeners. */
  respond(message: FakeIncomingMessage, emitBody: () => void): void {
    this.emit('response', message);
    setImmediate(emitBody);
  }
}

const awsResponses: Record<string, string> = {
  'DynamoDB_20120810.GetItem': keyAccessResponse(),
  'DynamoDB_20120810.PutItem': '{}',
  'secretsmanager.GetSecretValue': secretResponse({ openai: { api_key: 'sk-upstream' } }),
};

export interface ProviderResponse {
  contentType: string;
  /** Called when the function has started to read the response. */
  emitBody(message: FakeIncomingMessage): void;
}

/** The response to `GetItem` for anything but the key. */
function otherItem(body: string): string | null {
  if (body.startsWith('{"TableName":"prices"')) return '{}';
  return isOrganizationRead(body) ? organizationResponse() : null;
}

/** Must be called before the function is loaded. `nextResponse` is called for each request to the provider. */
export function fakeNetwork(nextResponse: () => ProviderResponse): { stop(): void } {
  // The object that the function's bundle takes `request` from.
  const node: { request: typeof http.request } = process.getBuiltinModule('node:http');
  const { request: original } = node;
  const fakeRequest = (options: http.RequestOptions) => {
    const headers = Object(options.headers);
    return new FakeClientRequest((request) => {
      const stored = awsResponses[headers['x-amz-target']];
      if (stored === undefined) return respondAsProvider(request, nextResponse());
      const message = new FakeIncomingMessage();
      request.respond(message, () => {
        message.emitChunks([otherItem(request.body) ?? stored]);
        message.end();
      });
    });
  };
  node.request = fakeRequest as unknown as typeof http.request;
  return {
    stop() {
      node.request = original;
    },
  };
}

function respondAsProvider(request: FakeClientRequest, { contentType, emitBody }: ProviderResponse): void {
  const message = new FakeIncomingMessage({ 'content-type': contentType });
  request.respond(message, () => emitBody(message));
}

/** The client's response stream: the part of `Writable` that the function uses, without backpressure. */
export class FakeClientResponse extends EventEmitter {
  readonly written: Buffer[] = [];
  writableFinished = false;

  write(chunk: Buffer): boolean {
    this.written.push(chunk);
    return true;
  }

  end(): void {
    this.writableFinished = true;
    setImmediate(() => this.emit('finish'));
  }
}
