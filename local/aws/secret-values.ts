/** The values of secrets, kept in one file that only its owner may read. */
import { existsSync, readFileSync } from 'node:fs';
import { writePrivateFile } from '../private-file.ts';
import { asObject, asText } from '../untyped-json.ts';

export interface Secret {
  name: string;
  arn: string;
  initialValue: string;
  /** What callers see of a stored value, and what is stored of a value that they write. */
  overlay?: { apply(stored: string): string; remove(written: string): string };
}

export interface SecretValues {
  /** Without the overlay. */
  stored(secret: Secret): string;
  /** With the overlay. */
  current(secret: Secret): string;
  write(secret: Secret, value: string): void;
}

/** `file` undefined keeps the values in memory. */
export function openSecretValues(file?: string): SecretValues {
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
  return Object.fromEntries(entries.map(([name, value]) => [name, asText(value, `${file}: ${name}`)]));
}
