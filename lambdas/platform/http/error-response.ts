/** The one place where an error becomes an answer. */
import { isServiceAway } from '../aws/unavailable.ts';
import { GatewayError } from '../errors.ts';
export interface ErrorResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** The error as the caller may see it. One that is not expected is logged, without its message: that may quote a prompt. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  if (isServiceAway(error)) {
    log('service_unavailable', error);
    return new GatewayError('service_unavailable', {
      message: 'The gateway cannot reach its own data at the moment: send the request again',
      headers: { 'retry-after': '1' },
    });
  }
  log('unexpected_error', error);
  return new GatewayError('internal_error', { message: 'The gateway failed to handle the request' });
}

export function renderError(error: GatewayError): ErrorResponse {
  return {
    statusCode: error.status,
    headers: {
      'content-type': 'application/json',
      ...error.headers,
    },
    body: JSON.stringify(error.toBody()),
  };
}

/** What helps to find the fault and quotes nothing: the kind of error and the place that it was thrown at. */
function log(event: string, error: unknown): void {
  const { name, code, at } = describe(error);
  console.error(JSON.stringify({ level: 'ERROR', event, error: name, code, at }));
}

function describe(error: unknown): { name: string; code: string | null; at: string | null } {
  if (!(error instanceof Error)) return { name: typeof error, code: null, at: null };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return { name: error.name, code, at: placeOf(error) };
}

/** File, line and column of the first frame. The message stands before the frames and may look like one, so it goes first. */
function placeOf({ stack = '', message }: Error): string | null {
  const messageAt = stack.indexOf(message);
  if (messageAt === -1) return null;
  const frames = stack.slice(messageAt + message.length).split('\n');
  const first = frames.find((line) => line.trimStart().startsWith('at '))?.replace(/\)$/, '') ?? '';
  const place = first.split(/[\s/\\(]/).at(-1) ?? '';
  return /:\d+$/.test(place) ? place : null;
}

// How long an answer in one piece may be.

/** A function answers with at most 6 MB: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const highestAnswerBytes = 6_000_000;

/** What the function hands to API Gateway is JSON that holds the body as a text. */
export function answerBytes(answer: unknown): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(answer)));
}
