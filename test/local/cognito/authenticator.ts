/** A WebAuthn authenticator that holds one passkey: ES256, user verified, without attestation. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoBase64URL, isoCBOR } from '@simplewebauthn/server/helpers';

export interface Authenticator {
  id: string;
  create(challenge: string): unknown;
  get(challenge: string): unknown;
}

const flags = { userPresent: 0x01, userVerified: 0x04, attestedCredential: 0x40 };

export function createAuthenticator(origin: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(16);
  const id = credentialId.toString('base64url');
  const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
  const head = (bits: number) =>
    Buffer.concat([sha256(new URL(origin).hostname), Buffer.from([bits, 0, 0, 0, 0])]);
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const describe = (response: Record<string, unknown>) => ({
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response,
  });

  return {
    id,
    create(challenge) {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      // https://www.rfc-editor.org/rfc/rfc9052#section-7: key type, algorithm, curve, coordinates
      const key = isoCBOR.encode(
        new Map<number, number | Uint8Array>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, isoBase64URL.toBuffer(x)],
          [-3, isoBase64URL.toBuffer(y)],
        ]),
      );
      const authData = Buffer.concat([
        head(flags.userPresent | flags.userVerified | flags.attestedCredential),
        Buffer.alloc(16),
        Buffer.from([0, credentialId.length]),
        credentialId,
        key,
      ]);
      const attestation = isoCBOR.encode(
        new Map<string, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', new Uint8Array(authData)],
        ]) as Parameters<typeof isoCBOR.encode>[0],
      );
      return describe({
        clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: Buffer.from(attestation).toString('base64url'),
        transports: ['internal'],
      });
    },
    get(challenge) {
      const data = clientData('webauthn.get', challenge);
      const authenticatorData = head(flags.userPresent | flags.userVerified);
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(data)]), privateKey);
      return describe({
        clientDataJSON: data.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: signature.toString('base64url'),
      });
    },
  };
}
