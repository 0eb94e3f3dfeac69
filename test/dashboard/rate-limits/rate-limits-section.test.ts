import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { activeKeyQuery } from '#dashboard/api/keys.ts';
import { rateLimitListQuery } from '#dashboard/api/organizations.ts';
import { DefaultLimitsNote } from '#dashboard/rate-limits/default-limits.tsx';
import type { LimitsSubject } from '#dashboard/rate-limits/limits.ts';
import { LimitsForm } from '#dashboard/rate-limits/limits-dialog.tsx';
import { RateLimitsSection } from '#dashboard/rate-limits/rate-limits-section.tsx';
import type {
  OrganizationDetails,
  RateLimitList,
  RateLimitOwner,
  RateLimitsSummary,
} from '#lambdas/accounts/organizations/responses.ts';
import { apiKeyOf, keyIdOf } from '#test/dashboard/keys/api-key.ts';
import { all, names, textOf, texts } from '#test/dashboard/rendering/markup.ts';
import { acme, renderOnPage } from '#test/dashboard/rendering/page.ts';

type Role = OrganizationDetails['role'];

const none: RateLimitsSummary = { requests_per_minute: null, tokens_per_minute: null, concurrent: null };
const ofOrganization: RateLimitOwner = {
  ...none,
  api_key_id: null,
  api_key_name: null,
  requests_per_minute: 6000,
  concurrent: 200,
};
const ofKey: RateLimitOwner = {
  ...none,
  api_key_id: keyIdOf(1),
  api_key_name: 'nightly',
  tokens_per_minute: 100_000,
};
const noDefaults: RateLimitList['defaults'] = { new_keys: null, member_keys: null };

const loadedList = (fields: Partial<RateLimitList>) =>
  [
    rateLimitListQuery('org_1').queryKey,
    {
      pages: [{ object: 'list', data: [], next_cursor: null, defaults: noDefaults, ...fields }],
      pageParams: [''],
    },
  ] as const;

function sectionWith(fields: Partial<RateLimitList>, role: Role = 'admin') {
  const section = createElement(RateLimitsSection, { isSettingByLink: false, onLinkDone: () => {} });
  return renderOnPage(section, { organization: { ...acme, role }, loaded: [loadedList(fields)] });
}

describe('The list of rate limits', () => {
  it('has those of the organization and of keys, each with its three limits', async () => {
    const shown = await sectionWith({ data: [ofOrganization, ofKey] });
    expect(texts(shown, 'tr')).toEqual([
      'Applies toRequests per minuteTokens per minuteConcurrent requestsActions',
      'All of Acme6,000No limit200',
      'nightlyNo limit100,000No limit',
    ]);
    expect(names(shown, '[aria-haspopup=menu]')).toEqual([
      'Actions for the rate limits of the organization',
      'Actions for the rate limits of nightly',
    ]);
    expect(all(shown, 'a').map((link) => [textOf(link), link.attributes.href])).toEqual([
      ['Refused requests', '/organizations/org_1/logs?outcome=rejected&error_code=rate_limit_exceeded'],
      ['nightly', `/organizations/org_1/keys/${keyIdOf(1)}`],
    ]);
  });

  it('can be seen, but not changed, by members', async () => {
    const shown = await sectionWith(
      { data: [ofKey], defaults: { ...noDefaults, new_keys: ofOrganization } },
      'member',
    );
    expect(texts(shown, 'tr')[1]).toBe('nightlyNo limit100,000No limit');
    expect(textOf(shown)).toContain('6,000 requests per minute and 200 concurrent requests');
    expect(names(shown, 'button')).toEqual([]);
  });

  it('without any says what they are for, or who may set them', async () => {
    const empty = await sectionWith({ data: [{ ...ofOrganization, ...none }] });
    expect(textOf(empty)).toContain('No rate limits yetA rate limit stops a runaway application');
    expect(names(empty, 'button')).toEqual([
      'Set rate limits',
      'Set the default of all new keys',
      'Set the default of keys that members create',
    ]);
    expect(textOf(await sectionWith({}, 'viewer'))).toContain('Admins of this organization can limit');
  });

  it('has a further page', async () => {
    expect(names(await sectionWith({ data: [ofKey], next_cursor: 'next' }, 'member'), 'button')).toEqual([
      'Load more',
    ]);
  });
});

describe('The default rate limits of new keys', () => {
  const rowsOf = async (defaults: RateLimitList['defaults']) => {
    const text = textOf(await sectionWith({ defaults }, 'viewer'));
    return text.slice(text.indexOf('Default rate limits'));
  };

  it('say that they are copied, and whom each is for', async () => {
    expect(await rowsOf({ new_keys: { ...none, concurrent: 20 }, member_keys: null })).toBe(
      'Default rate limitsCopied to a key when it is created. A change affects no key that exists.' +
        'All new keysWhoever creates them, here or with the admin command.20 concurrent requests' +
        'Keys that members createSet them to hold people with the role member to other limits.Like all new keys',
    );
    expect(await rowsOf(noDefaults)).toMatch(/admin command\.None.*other limits\.None$/);
  });

  it.each<[Role, RateLimitList['defaults'], string]>([
    ['member', noDefaults, ''],
    ['admin', { new_keys: null, member_keys: { ...none, concurrent: 2 } }, ''],
    [
      'member',
      { new_keys: { ...none, concurrent: 20 }, member_keys: null },
      'The key starts with the default rate limits of new keys: 20 concurrent requests.',
    ],
    [
      'member',
      { new_keys: { ...none, concurrent: 20 }, member_keys: { ...none, tokens_per_minute: 5000 } },
      'The key starts with the default rate limits of keys that members create: 5,000 tokens per minute.',
    ],
    [
      'owner',
      { new_keys: { ...none, concurrent: 20 }, member_keys: { ...none, tokens_per_minute: 5000 } },
      'The key starts with the default rate limits of new keys: 20 concurrent requests.',
    ],
  ])(
    'are announced where a key is created by a person with the role %s, %j',
    async (role, defaults, text) => {
      const shown = await renderOnPage(createElement(DefaultLimitsNote), {
        organization: { ...acme, role },
        loaded: [loadedList({ defaults })],
      });
      expect(textOf(shown)).toBe(text);
    },
  );
});

describe('The form of rate limits', () => {
  const formOf = (subject: LimitsSubject, loaded: Parameters<typeof renderOnPage>[1] = {}) =>
    renderOnPage(createElement(LimitsForm, { subject, onDone: () => {} }), loaded);
  const values = async (subject: LimitsSubject) =>
    all(await formOf(subject), 'input').map(({ attributes }) => [attributes.name, attributes.value]);

  it('begins with the present limits', async () => {
    expect(await values({ kind: 'owner', owner: { ...ofKey, concurrent: 3 } })).toEqual([
      ['requests_per_minute', ''],
      ['tokens_per_minute', '100,000'],
      ['concurrent', '3'],
    ]);
  });

  it('says what a button does: set or change, limits or a default', async () => {
    const submitOf = async (subject: LimitsSubject) => names(await formOf(subject), '[type=submit]');
    expect(await submitOf({ kind: 'new' })).toEqual(['Set rate limits']);
    expect(await submitOf({ kind: 'owner', owner: ofKey })).toEqual(['Change rate limits']);
    expect(await submitOf({ kind: 'default', name: 'new_keys', limits: null })).toEqual(['Set default']);
    expect(await submitOf({ kind: 'default', name: 'member_keys', limits: ofKey })).toEqual([
      'Change default',
    ]);
  });

  it('says which limits of the organization new ones replace', async () => {
    const shown = await formOf({ kind: 'new' }, { loaded: [loadedList({ data: [ofOrganization, ofKey] })] });
    expect(texts(shown, '[role=status]')).toEqual([
      'Replaces the present limits: 6,000 requests per minute and 200 concurrent requests.',
    ]);
    const key = { ...apiKeyOf(1), rate_limits: ofKey };
    const another = [activeKeyQuery('org_1', keyIdOf(1)).queryKey, key] as const;
    expect(texts(await formOf({ kind: 'new' }, { loaded: [another] }), '[role=status]')).toEqual([]);
  });
});
