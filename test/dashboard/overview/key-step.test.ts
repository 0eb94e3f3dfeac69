import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { KeyStep } from '#dashboard/overview/first-request/key-step.tsx';
import type { Role } from '#lambdas/accounts/permissions.ts';
import { apiKeyOf } from '../keys/api-key.ts';
import { texts } from '../rendering/markup.ts';
import { acme, renderOnPage } from '../rendering/page.ts';

interface Situation {
  existingName?: string | null;
  role?: Role;
  isSeen?: boolean;
  isIssued?: boolean;
}

/** The text and the buttons of the step. */
async function stepOf({ existingName = null, role = 'member', isSeen = false, isIssued = false }: Situation) {
  const issued = isIssued ? { apiKey: apiKeyOf(1), key: 'pt_live_1234' } : null;
  const step = createElement(KeyStep, { existingName, issued, onIssued: () => {}, onCopied: () => {} });
  const shown = await renderOnPage(step, { organization: { ...acme, role, first_key_seen: isSeen } });
  return { text: texts(shown, 'p')[0], done: texts(shown, 'h2').join(), buttons: texts(shown, 'button') };
}

describe('The first step to a request', () => {
  const intent = 'Your application calls models with it. It is shown only once.';
  const buttons = ['Create a key and send a test request', 'Create key'];

  it('is to create a key, also where a command has created one', async () => {
    expect(await stepOf({})).toEqual({ text: intent, done: 'Create a key', buttons });
    expect(await stepOf({ existingName: 'Demo' })).toEqual({
      text: `${intent} The key “Demo” was shown where it was created, in a terminal: use it, or create your own.`,
      done: 'Create a key',
      buttons,
    });
  });

  it('has the focus on the button that goes on, until it is done', async () => {
    const focused = async (isSeen: boolean) => {
      const step = createElement(KeyStep, {
        existingName: null,
        issued: null,
        onIssued: () => {},
        onCopied: () => {},
      });
      return texts(
        await renderOnPage(step, { organization: { ...acme, first_key_seen: isSeen } }),
        'button[autofocus]',
      );
    };
    expect(await focused(false)).toEqual(['Create a key and send a test request']);
    expect(await focused(true)).toEqual([]);
  });

  it('is done when somebody has seen a key', async () => {
    const text = 'Your application calls models with it.';
    const done = 'Create a key (done)';
    expect(await stepOf({ existingName: 'Demo', isSeen: true })).toEqual({ text, done, buttons });
    expect(await stepOf({ isIssued: true })).toEqual({ text, done, buttons: ['Copy key'] });
  });

  it('is for others than viewers', async () => {
    const { text, buttons: none } = await stepOf({ role: 'viewer' });
    expect(text).toMatch(/^You are a viewer\./);
    expect(none).toEqual([]);
  });
});
