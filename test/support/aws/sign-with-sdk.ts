import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SigningScope } from '#lambdas/platform/aws/sigv4.ts';

interface UnsignedRequest {
  path: string;
  headers: Record<string, string>;
  body: string;
  at: Date;
  /** Headers that are excluded from the signature. */
  unsigned?: string[];
}

interface Signed {
  headers: Record<string, string>;
}

/** The signer of a client, which the SDK's types do not declare. */
type SdkSigner = { sign(request: object, options: object): Promise<Signed> };

export async function signWithSdk(
  { service, region, credentials }: SigningScope,
  { at, unsigned = [], ...request }: UnsignedRequest,
): Promise<Record<string, string>> {
  const { config } = new DynamoDBClient({ region, credentials });
  const scheme = { name: 'sigv4', signingName: service, signingRegion: region, properties: {} };
  const signer = (await (config.signer as (scheme: object) => Promise<unknown>)(scheme)) as SdkSigner;
  const sent = { ...request, method: 'POST', protocol: 'https:', hostname: 'x', query: {} };
  return (await signer.sign(sent, { signingDate: at, unsignableHeaders: new Set(unsigned) })).headers;
}
