/** Asks as a caller does, over kept connections, and notes when the answer began and when it ended. */
import http from 'node:http';
import https from 'node:https';

export interface Asked {
  url: string;
  body: Buffer;
  headers?: Record<string, string>;
}

export interface Answered {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** Since the request began to be sent: the first byte of the body, and the last. */
  firstMs: number;
  totalMs: number;
  /** Since 1970, with fractions. */
  endedAtMs: number;
  text: string;
}

export interface ChatClient {
  ask(asked: Asked): Promise<Answered>;
  close(): void;
}

/** `authority` is the certificate that https addresses are held to. */
export function createChatClient(authority?: Buffer): ChatClient {
  const plain = new http.Agent({ keepAlive: true });
  const secure = new https.Agent({ keepAlive: true, ca: authority });
  const send = (url: string, options: http.RequestOptions) =>
    url.startsWith('https:')
      ? https.request(url, { ...options, agent: secure })
      : http.request(url, { ...options, agent: plain });
  return {
    ask: ({ url, body, headers }) =>
      new Promise((resolve, reject) => {
        const startedAt = performance.now();
        const outgoing = send(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers },
        });
        outgoing.once('error', reject);
        outgoing.once('response', (message) => readAnswer(message, startedAt).then(resolve, reject));
        outgoing.end(body);
      }),
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

async function readAnswer(message: http.IncomingMessage, startedAt: number): Promise<Answered> {
  let firstMs = 0;
  let text = '';
  for await (const piece of message) {
    firstMs ||= performance.now() - startedAt;
    text += piece;
  }
  const endedAt = performance.now();
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    firstMs,
    totalMs: endedAt - startedAt,
    endedAtMs: performance.timeOrigin + endedAt,
    text,
  };
}
