/** Errors that CloudFront generates itself. */
import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';

/** Closes the connection when the response has already begun. */
export function sendError(
  response: ServerResponse,
  error: { status: 400 | 403 | 502 | 503 | 504; message: string; headers: OutgoingHttpHeaders },
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, message, headers } = error;
  const body = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>ERROR: The request could not be satisfied</title></head>
<body><h1>${status} ${STATUS_CODES[status]}</h1><p>The request could not be satisfied.</p><p>${message}</p></body>
</html>
`;
  response.writeHead(status, {
    ...headers,
    'content-type': 'text/html',
    'content-length': Buffer.byteLength(body),
    'x-cache': 'Error from cloudfront',
  });
  response.end(body);
}
