/** Texts that are nowhere else: what is found of one was written by somebody who should not have. */
import { randomBytes } from 'node:crypto';
import type { Secret } from './find-leaks.ts';

/** What a caller sends, and what a provider answers. */
const contentKinds = [
  ...(['prompt', 'system', 'assistant', 'tool description', 'tool arguments', 'tool result'] as const),
  ...(['file name', 'file', 'unknown parameter', 'unknown header', 'query string', 'broken body'] as const),
  ...(['answer', 'reasoning', 'answered arguments', "provider's error", "provider's header"] as const),
] as const;

export type ContentKind = (typeof contentKinds)[number];

export interface Canaries {
  content: Readonly<Record<ContentKind, string>>;
  /** A key that the gateway never made. */
  unknownKey: string;
  /** By the provider. */
  credential(provider: string): string;
  /** All of them; the callers' keys are told apart by their form. */
  secrets(): Secret[];
}

export function createCanaries(providers: readonly string[]): Canaries {
  const content = Object.fromEntries(contentKinds.map((kind) => [kind, `Canary${unique()}`])) as Record<
    ContentKind,
    string
  >;
  // Without the usual prefix, so that it is this text that is found and not a pattern.
  const credentials = new Map(providers.map((provider) => [provider, `Credential${unique()}`]));
  const unknownKey = `pt_live_${unique()}`;
  return {
    content,
    unknownKey,
    credential(provider) {
      const credential = credentials.get(provider);
      if (credential === undefined) throw new Error(`There is no credential of ${provider}`);
      return credential;
    },
    secrets: () => [
      ...Object.entries(content).map(([name, text]) => ({ name: `the ${name}`, text })),
      ...[...credentials].map(([provider, text]) => ({ name: `the credential of ${provider}`, text })),
      { name: 'a key that was tried', text: unknownKey },
    ],
  };
}

/** 32 characters that need no escaping anywhere. */
function unique(): string {
  return randomBytes(16).toString('hex');
}
