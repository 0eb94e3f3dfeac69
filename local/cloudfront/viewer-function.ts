/**
 * Runs functions for viewer requests, in the runtime cloudfront-js-2.0.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-event-structure.html
 */
import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { createContext, Script } from 'node:vm';
import { LocalGatewayError, messageOf } from '../local-gateway-error.ts';
import { asObject, asString, isObject, parseJson } from '../untyped-json.ts';

/** Resolves to the URI for the origin. Rejects when the function fails, or does not return the request. */
export type ViewerFunction = (request: IncomingMessage, path: string) => Promise<string>;

interface ViewerRequest {
  method: string;
  uri: string;
  querystring: Record<string, Value>;
  headers: Record<string, Value>;
  cookies: Record<string, Value>;
}

interface Value {
  value: string;
  multiValue?: { value: string }[];
}

/** `properties` are those of the `AWS::CloudFront::Function`, resolved. */
export function loadViewerFunction(properties: unknown, logicalId: string): ViewerFunction {
  const { FunctionCode, FunctionConfig } = asObject(properties, logicalId);
  const { Runtime } = asObject(FunctionConfig, `${logicalId}.FunctionConfig`);
  if (Runtime !== 'cloudfront-js-2.0') {
    throw new LocalGatewayError(
      `${logicalId} has the runtime ${Runtime}: the local run supports cloudfront-js-2.0`,
    );
  }
  const context = createContext({ event: '' }, { codeGeneration: { strings: false, wasm: false } });
  try {
    new Script(asString(FunctionCode, `${logicalId}.FunctionCode`)).runInContext(context);
  } catch (error) {
    throw new LocalGatewayError(`${logicalId} cannot be loaded: ${messageOf(error)}`);
  }
  // As JSON, so that the function gets objects of its own context. A time limit would start a thread for each request.
  const call = new Script('Promise.resolve(handler(JSON.parse(event))).then(JSON.stringify)');
  return async (message, path) => {
    const request = createViewerRequest(message, path);
    context.event = JSON.stringify(createEvent(request, message));
    const result = parseJson(await call.runInContext(context));
    return readUri(result, request, logicalId);
  };
}

function readUri(result: unknown, request: ViewerRequest, logicalId: string): string {
  if (isObject(result) && typeof result.uri === 'string') {
    const { uri } = result;
    if (isDeepStrictEqual(result, { ...request, uri })) return uri;
  }
  throw new LocalGatewayError(
    `${logicalId}: the local run supports only functions that return the request with another URI`,
  );
}

function createEvent(request: ViewerRequest, { socket }: IncomingMessage) {
  return {
    version: '1.0',
    context: {
      distributionDomainName: 'local.cloudfront.net',
      distributionId: 'LOCAL',
      eventType: 'viewer-request',
      requestId: 'local',
    },
    viewer: { ip: socket.remoteAddress ?? '127.0.0.1' },
    request,
  };
}

function createViewerRequest(message: IncomingMessage, path: string): ViewerRequest {
  const query = new URLSearchParams((message.url ?? '').split('?').slice(1).join('?'));
  const cookies = (message.headers.cookie ?? '').split(';').flatMap((pair) => {
    const [name = '', ...rest] = pair.trim().split('=');
    return name === '' ? [] : [[name, rest.join('=')] as const];
  });
  const headers = Object.entries(message.headersDistinct).flatMap(([name, values = []]) =>
    name === 'cookie' ? [] : values.map((value) => [name, value] as const),
  );
  return {
    method: message.method ?? 'GET',
    uri: path,
    querystring: groupValues([...query]),
    headers: groupValues(headers),
    cookies: groupValues(cookies),
  };
}

function groupValues(pairs: Iterable<readonly [name: string, value: string]>): Record<string, Value> {
  const grouped = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries(
    [...grouped].map(([name, entries]) => {
      const values = entries.map(([, value]) => ({ value }));
      return [name, { value: values[0]?.value ?? '', ...(values.length > 1 && { multiValue: values }) }];
    }),
  );
}
