/** HTTP for the tests' DynamoDB clients. The SDK's own handler has streams and deadlines that take a tenth of each call. */
import { Agent, type RequestOptions, request as sendRequest } from 'node:http';

interface HttpRequest extends Pick<RequestOptions, 'hostname' | 'port' | 'method' | 'path' | 'headers'> {
  body: string;
}

/** A `requestHandler` of the AWS SDK. */
export function createHttpHandler() {
  const agent = new Agent({ keepAlive: true });
  return {
    handle(
      { body, hostname, port, method, path, headers }: HttpRequest,
      { abortSignal: signal }: { abortSignal?: AbortSignal } = {},
    ) {
      const { promise, resolve, reject } = Promise.withResolvers<object>();
      const request = sendRequest({ agent, hostname, port, method, path, headers, signal }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode, headers: responseHeaders } = response;
          resolve({ response: { statusCode, headers: responseHeaders, body: Buffer.concat(chunks) } });
        });
      });
      request.on('error', reject);
      request.end(body);
      return promise;
    },
    destroy: () => agent.destroy(),
  };
}
