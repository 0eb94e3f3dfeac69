/** What the AWS SDK's own signer makes of a request. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SigningScope } from '#lambdas/platform/aws/sigv4.ts';

export interface UnsignedRequest {
  path: string;
  headers: Record<string, string>;
  body: string;
  at: Date;
  /** Headers of the SDK's that are not to count. */
  unsigned?: string[];
}

interface Signed {
  headers: Record<string, string>;
}

/** Of a client, which is not in the types of its settings. */
type SignBySdk = { sign(request: object, options: object): Promise<Signed> };

/** The headers, with those of the signature. */
export async function signedBySdk(
  { service, region, credentials }: SigningScope,
  { at, unsigned = [], ...request }: UnsignedRequest,
): Promise<Record<string, string>> {
  const { config } = new DynamoDBClient({ region, credentials });
  const scheme = { name: 'sigv4', signingName: service, signingRegion: region, properties: {} };
  const signer = (await (config.signer as (scheme: object) => Promise<unknown>)(scheme)) as SignBySdk;
  const sent = { ...request, method: 'POST', protocol: 'https:', hostname: 'x', query: {} };
  return (await signer.sign(sent, { signingDate: at, unsignableHeaders: new Set(unsigned) })).headers;
}
