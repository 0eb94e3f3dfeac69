/** Emulates AWS Secrets Manager for the template's secrets. */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writePrivateFile } from '../private-file.ts';
import type { Secret } from '../template/local-stack.ts';
import { asObject, asString, type JsonObject } from '../untyped-json.ts';
import { type AwsCall, sendAwsError, sendAwsJson, sendUnknownOperation } from './call.ts';

export interface SecretsManager {
  handle(call: AwsCall): Promise<void>;
  storedValue(secret: Secret): string;
}

const operations = ['DescribeSecret', 'GetSecretValue', 'PutSecretValue'];

export function createSecretsManager(secrets: readonly Secret[], file?: string): SecretsManager {
  const values = openSecretValues(file);
  return {
    storedValue: values.stored,
    async handle(call) {
      const { operation, body, response } = call;
      if (!operations.includes(operation)) {
        return sendUnknownOperation(response, `secretsmanager:${operation}`);
      }
      const secret = findSecret(secrets, body.SecretId);
      const resource = secret?.arn ?? String(body.SecretId);
      if (!call.authorize([{ action: `secretsmanager:${operation}`, resource }])) return;
      if (secret === undefined) {
        const message = "Secrets Manager can't find the specified secret.";
        return sendAwsError(response, { status: 400, type: 'ResourceNotFoundException', message });
      }
      sendAwsJson(response, respond(call, { secret, values }));
    },
  };
}

/** Finds a secret by its name, its ARN, or its ARN without the six random characters at the end. */
function findSecret(secrets: readonly Secret[], secretId: unknown): Secret | undefined {
  return secrets.find(({ name, arn }) => [name, arn, arn.replace(/-.{6}$/, '')].includes(String(secretId)));
}

function respond(
  { operation, body }: AwsCall,
  { secret, values }: { secret: Secret; values: SecretValues },
): JsonObject {
  if (operation === 'PutSecretValue') values.write(secret, asString(body.SecretString, 'SecretString'));
  const value = values.current(secret);
  const version = versionOf(value);
  const identity = { ARN: secret.arn, Name: secret.name };
  if (operation === 'DescribeSecret')
    return { ...identity, VersionIdsToStages: { [version]: ['AWSCURRENT'] } };
  const versioned = { ...identity, VersionId: version, VersionStages: ['AWSCURRENT'] };
  return operation === 'GetSecretValue' ? { ...versioned, SecretString: value } : versioned;
}

/** Derives the version id from the value, so that it changes only when the value changes. */
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

interface SecretValues {
  stored(secret: Secret): string;
  current(secret: Secret): string;
  write(secret: Secret, value: string): void;
}

/** Keeps the values in memory when `file` is `undefined`. */
function openSecretValues(file?: string): SecretValues {
  const values = readValues(file);
  const stored = (secret: Secret) => values[secret.name] ?? secret.initialValue;
  return {
    stored,
    current(secret) {
      const value = stored(secret);
      return secret.overlay?.apply(value) ?? value;
    },
    write(secret, value) {
      values[secret.name] = secret.overlay?.remove(value) ?? value;
      if (file !== undefined) writePrivateFile(file, `${JSON.stringify(values, null, 2)}\n`);
    },
  };
}

function readValues(file: string | undefined): Record<string, string> {
  if (file === undefined || !existsSync(file)) return {};
  const entries = Object.entries(asObject(JSON.parse(readFileSync(file, 'utf8')), file));
  return Object.fromEntries(entries.map(([name, value]) => [name, asString(value, `${file}: ${name}`)]));
}
