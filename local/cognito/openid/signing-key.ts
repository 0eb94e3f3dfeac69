/** The pool's key for JSON Web Tokens, signed with RS256 as at Cognito. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, sign, verify } from 'node:crypto';
import { isObject, type JsonObject, parseJson } from '#local/untyped-json.ts';
import type { StateStore } from '../directory/state.ts';

export interface SigningKey {
  /** The private key as a JSON Web Key. */
  jwk: Record<string, string>;
  sign(claims: JsonObject): string;
  /** Returns the claims, or `undefined` when the token was not signed with this key. Checks no claim. */
  verify(token: string): JsonObject | undefined;
}

/** The key is created when it is first needed and the store has none. */
export function openSigningKey(store: StateStore): SigningKey {
  let loaded: ReturnType<typeof loadKeys> | undefined;
  const getKeys = () => {
    loaded ??= loadKeys(store);
    return loaded;
  };
  return {
    get jwk() {
      return getKeys().jwk;
    },
    sign(claims) {
      const { header, privateKey } = getKeys();
      const signed = `${header}.${encode(claims)}`;
      return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
    },
    verify(token) {
      const { header, publicKey } = getKeys();
      const [tokenHeader, payload, signature, ...others] = token.split('.');
      if (tokenHeader !== header || payload === undefined || signature === undefined || others.length > 0) {
        return undefined;
      }
      const signed = Buffer.from(`${tokenHeader}.${payload}`);
      if (!verify('sha256', signed, publicKey, Buffer.from(signature, 'base64url'))) return undefined;
      const claims = parseJson(Buffer.from(payload, 'base64url').toString());
      return isObject(claims) ? claims : undefined;
    },
  };
}

/** Shared by all new pools of a process, because generating a key takes up to half a second. */
let generatedJwk: Record<string, string> | undefined;

function loadKeys({ state, save }: StateStore) {
  if (state.signing_key === undefined) {
    generatedJwk ??= generateJwk();
    state.signing_key = generatedJwk;
    save();
  }
  const jwk = state.signing_key;
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  const publicKey = createPublicKey(privateKey);
  return { jwk, privateKey, publicKey, header: encode({ kid: jwk.kid, alg: 'RS256' }) };
}

function generateJwk(): Record<string, string> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const parameters = Object.entries(privateKey.export({ format: 'jwk' }));
  const jwk = Object.fromEntries(parameters.map(([name, value]) => [name, String(value)]));
  const kid = hash('sha256', `${jwk.n}`, 'base64url');
  return { ...jwk, kid, alg: 'RS256', use: 'sig' };
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
