/** Planted secrets: unique texts, so that finding one in the gateway's output proves a leak. */
import { randomBytes } from 'node:crypto';
import type { Secret } from './find-leaks.ts';

const contentKinds = [
  ...(['prompt', 'system', 'assistant', 'tool description', 'tool arguments', 'tool result'] as const),
  ...([
    'file name',
    'file',
    'unknown parameter',
    'unknown header',
    'query string',
    'malformed body',
  ] as const),
  ...(['completion', 'reasoning', 'completion arguments', "provider's error", "provider's header"] as const),
] as const;

export type ContentKind = (typeof contentKinds)[number];

export interface PlantedSecrets {
  content: Readonly<Record<ContentKind, string>>;
  /** A well-formed key that the gateway did not issue. */
  unknownKey: string;
  credential(provider: string): string;
  /** Without valid API keys: they are found by their format. */
  all(): Secret[];
}

export function createPlantedSecrets(providers: readonly string[]): PlantedSecrets {
  const content = Object.fromEntries(contentKinds.map((kind) => [kind, `Canary${unique()}`])) as Record<
    ContentKind,
    string
  >;
  // No usual prefix, so that a leak is found by this text and not by the pattern for keys.
  const credentials = new Map(providers.map((provider) => [provider, `Credential${unique()}`]));
  const unknownKey = `pt_live_${unique()}`;
  return {
    content,
    unknownKey,
    credential(provider) {
      const credential = credentials.get(provider);
      if (credential === undefined) throw new Error(`No credential for ${provider}`);
      return credential;
    },
    all: () => [
      ...Object.entries(content).map(([name, text]) => ({ name: `the ${name}`, text })),
      ...[...credentials].map(([provider, text]) => ({ name: `the credential of ${provider}`, text })),
      { name: 'an unknown key that was tried', text: unknownKey },
    ],
  };
}

/** 32 characters that need no escaping anywhere. */
function unique(): string {
  return randomBytes(16).toString('hex');
}
