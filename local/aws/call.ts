/** A call to an AWS service in the AWS JSON protocol, and functions that send its response. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Grant } from '../permissions/policies.ts';
import type { JsonObject } from '../untyped-json.ts';

export interface AwsCall {
  operation: string;
  body: JsonObject;
  rawBody: Buffer;
  request: IncomingMessage;
  response: ServerResponse;
  /** Sends an error response and returns `false` when the caller does not have all of the grants. */
  authorize(grants: readonly Grant[]): boolean;
}

export function sendUnknownOperation(response: ServerResponse, operation: string): void {
  const message = `The local run does not emulate ${operation}`;
  sendAwsError(response, { status: 400, type: 'UnknownOperationException', message });
}

export function sendAwsJson(response: ServerResponse, body: JsonObject): void {
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify(body));
}

export function sendAwsError(
  response: ServerResponse,
  error: { status: number; type: string; message: string },
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(error.status, { 'content-type': 'application/x-amz-json-1.0' });
  // The case of the message field differs between services; SDKs accept both.
  response.end(JSON.stringify({ __type: error.type, message: error.message, Message: error.message }));
}
