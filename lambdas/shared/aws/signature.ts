/** The signed headers of a POST to the root of a service: most of each request is known before there is one. */
import { hash } from 'node:crypto';
import { createAuthorize, type SigningScope, signingTime } from './authorization.ts';

export interface SignerOptions extends SigningScope {
  /** With the port, where it is not the protocol's own. */
  host: string;
  contentType: string;
}

/** The headers of a request for an action of the service, such as `DynamoDB_20120810.PutItem`. */
export type Signer = (action: string, body: string, at: Date) => Record<string, string>;

export function createSigner({ host, contentType, ...scope }: SignerOptions): Signer {
  const authorize = createAuthorize(scope);
  const { sessionToken } = scope.credentials;
  const token: Record<string, string> =
    sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken };
  const tokenLine = sessionToken === undefined ? '' : `x-amz-security-token:${sessionToken}\n`;
  // In the order of their names.
  const signed = ['content-type', 'host', 'x-amz-date', ...Object.keys(token), 'x-amz-target'].join(';');
  return (action, body, at) => {
    const time = signingTime(at);
    const lines = `content-type:${contentType}\nhost:${host}\nx-amz-date:${time}\n${tokenLine}x-amz-target:${action}\n`;
    const text = `POST\n/\n\n${lines}\n${signed}\n${hash('sha256', body)}`;
    return {
      'content-type': contentType,
      host,
      'x-amz-date': time,
      ...token,
      'x-amz-target': action,
      authorization: authorize({ time, signed, text }),
    };
  };
}
