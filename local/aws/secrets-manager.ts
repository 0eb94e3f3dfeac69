/** A small AWS Secrets Manager: the template's secrets, kept in one file that only its owner may read. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writePrivateFile } from '../private-file.ts';
import { asObject, asText, type JsonObject } from '../untyped-json.ts';
import { type AwsCall, sendAwsError, sendAwsJson, sendUnknownOperation } from './aws-call.ts';

export interface Secret {
  name: string;
  arn: string;
  initialValue: string;
  /** What callers see of a stored value, and what is stored of a value that they write. */
  overlay?: { apply(stored: string): string; remove(written: string): string };
}

export interface SecretsManager {
  answer(call: AwsCall): Promise<void>;
  /** Without the overlay. */
  storedValue(secret: Secret): string;
}

/** `file` undefined keeps the values in memory. */
export function createSecretsManager(secrets: readonly Secret[], file?: string): SecretsManager {
  const values = readValues(file);

  function find(secretId: unknown): Secret | undefined {
    // A partial ARN, without the six random characters at its end, names a secret too.
    return secrets.find(({ name, arn }) => [name, arn, arn.replace(/-.{6}$/, '')].includes(String(secretId)));
  }

  const storedValue = (secret: Secret) => values[secret.name] ?? secret.initialValue;

  function currentValue(secret: Secret): string {
    const stored = storedValue(secret);
    return secret.overlay?.apply(stored) ?? stored;
  }

  function store(secret: Secret, written: string): void {
    values[secret.name] = secret.overlay?.remove(written) ?? written;
    if (file !== undefined) writePrivateFile(file, `${JSON.stringify(values, null, 2)}\n`);
  }

  function perform({ operation, body }: AwsCall, secret: Secret): JsonObject {
    if (operation === 'PutSecretValue') store(secret, asText(body.SecretString, 'SecretString'));
    const value = currentValue(secret);
    const version = versionOf(value);
    const identity = { ARN: secret.arn, Name: secret.name };
    if (operation === 'DescribeSecret')
      return { ...identity, VersionIdsToStages: { [version]: ['AWSCURRENT'] } };
    const versioned = { ...identity, VersionId: version, VersionStages: ['AWSCURRENT'] };
    return operation === 'GetSecretValue' ? { ...versioned, SecretString: value } : versioned;
  }

  return {
    storedValue,
    async answer(call) {
      const { operation, body, response } = call;
      if (!['DescribeSecret', 'GetSecretValue', 'PutSecretValue'].includes(operation)) {
        return sendUnknownOperation(response, `secretsmanager:${operation}`);
      }
      const secret = find(body.SecretId);
      const resource = secret?.arn ?? String(body.SecretId);
      if (!call.authorize([{ action: `secretsmanager:${operation}`, resource }])) return;
      if (secret === undefined) {
        const message = "Secrets Manager can't find the specified secret.";
        return sendAwsError(response, { status: 400, type: 'ResourceNotFoundException', message });
      }
      sendAwsJson(response, perform(call, secret));
    },
  };
}

function readValues(file: string | undefined): Record<string, string> {
  if (file === undefined || !existsSync(file)) return {};
  const entries = Object.entries(asObject(JSON.parse(readFileSync(file, 'utf8')), file));
  return Object.fromEntries(entries.map(([name, value]) => [name, asText(value, `${file}: ${name}`)]));
}

/** The same value has the same version, another value another. */
function versionOf(value: string): string {
  const hash = createHash('sha256').update(value).digest('hex');
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    hash.slice(12, 16),
    hash.slice(16, 20),
    hash.slice(20, 32),
  ].join('-');
}
