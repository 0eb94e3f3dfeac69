import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { Offer } from '#dashboard/organization/invitation/offer.tsx';
import { UnknownInvitation } from '#dashboard/organization/invitation/unusable.tsx';
import type { InvitationOffer } from '#lambdas/accounts/organizations/responses.ts';
import type { User } from '#lambdas/accounts/sign-in/responses.ts';
import { all, textOf, texts } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';

const offer: InvitationOffer = {
  organization_name: 'Acme',
  email: 'grace@example.com',
  role: 'admin',
  invited_by: 'Ada Lovelace',
  expires_at: '2026-11-30T12:00:00.000Z',
  state: 'pending',
};

const userAt = (email: string): User => ({ id: 'user_1', email, name: null, identity_provider: null });

function offered(fields: Partial<InvitationOffer>, user: User | null = null) {
  const props = { token: 'org_1.secret', offer: { ...offer, ...fields }, user };
  return renderOnPage(createElement(Offer, props));
}

describe('An invitation', () => {
  it('says who invites to what, for which address and role', async () => {
    const shown = await offered({});
    expect(texts(shown, 'h1')).toEqual(['Join Acme']);
    expect(textOf(shown)).toContain('Ada Lovelace invites you to this organization.');
    expect(texts(shown, 'dd').slice(0, 2)).toEqual([
      'grace@example.com',
      'AdminLike a member; also manages all keys, sets budgets and rate limits, sets routes and allowed models, and invites and removes members.',
    ]);
  });

  it('leads people who are not signed in to the sign-in or sign-up, and back', async () => {
    const links = all(await offered({}), 'a').map((link) => [textOf(link), link.attributes.href]);
    expect(links).toEqual([
      [
        'Sign in',
        '/dashboard/api/sign-in?return_to=%2Finvitations%2Forg_1.secret&login_hint=grace%40example.com',
      ],
      [
        'Create account',
        '/dashboard/api/sign-in?return_to=%2Finvitations%2Forg_1.secret&screen=sign_up&login_hint=grace%40example.com',
      ],
    ]);
  });

  it('can be accepted by its address alone, in any case of letters', async () => {
    expect(texts(await offered({}, userAt('Grace@Example.com')), 'button')).toEqual(['Accept invitation']);
    const refused = await offered({}, userAt('ada@example.com'));
    expect(texts(refused, 'button')).not.toContain('Accept invitation');
    expect(textOf(refused)).toContain(
      'Only grace@example.com can accept this invitation. You use ada@example.com.',
    );
  });

  it.each([
    [
      'accepted',
      'This invitation has been used',
      'grace@example.com has joined Acme with it. A link works only once.',
    ],
    [
      'expired',
      'This invitation has expired',
      'The link to join Acme was valid for 7 days. Ask Ada Lovelace for a new one.',
    ],
    [
      'revoked',
      'This invitation has been revoked',
      'The link to join Acme no longer works. If you expected to join, ask Ada Lovelace for a new one.',
    ],
  ] as const)('that is %s says so, whoever looks', async (state, title, text) => {
    for (const user of [null, userAt('grace@example.com')]) {
      const shown = await offered({ state }, user);
      expect([texts(shown, 'h1'), texts(shown, 'p'), texts(shown, 'button')]).toEqual([[title], [text], []]);
      expect(texts(shown, 'a')).toEqual(['Go to the dashboard']);
    }
  });

  it('that does not exist says so', async () => {
    expect(texts(await renderOnPage(createElement(UnknownInvitation)), 'h1')).toEqual([
      'This invitation is not known',
    ]);
  });
});
