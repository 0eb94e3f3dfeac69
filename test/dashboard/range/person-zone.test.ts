import { QueryClient } from '@tanstack/react-query';
import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { signInSessionQuery } from '#dashboard/api/sign-in.ts';
import { TimeZoneContext } from '#dashboard/components/values/time-zone.ts';
import { loadPersonTimeZone, rememberTimeZone } from '#dashboard/range/person-zone.ts';
import { RangeBar } from '#dashboard/range/range-bar.tsx';
import { names } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';

const session = (timeZone: string | null) => ({
  user: { id: 'usr_1', email: 'ada@example.com', name: 'Ada', identity_provider: null },
  signed_in_at: '2026-11-23T12:00:00.000Z',
  expires_at: '2026-11-24T00:00:00.000Z',
  time_zone: timeZone,
});

/** The zone with this session, or while it is not loaded. */
function zoneWith(loaded: ReturnType<typeof session> | undefined): Promise<string> {
  const client = new QueryClient();
  client.setQueryData(signInSessionQuery.queryKey, loaded);
  return loadPersonTimeZone(client);
}

const stored = new Map<string, string>();

beforeEach(() => {
  stored.clear();
  vi.stubEnv('TZ', 'Europe/Berlin');
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('The zone of a person', () => {
  it.each([
    ['Asia/Kolkata', 'Asia/Kolkata'],
    [null, 'Europe/Berlin'],
    // Stored by a newer browser.
    ['Europe/Atlantis', 'Europe/Berlin'],
  ])('with %j in the profile is %s', async (timeZone, expected) => {
    expect(await zoneWith(session(timeZone))).toBe(expected);
  });

  it('is that of the last session until the present one is loaded', async () => {
    rememberTimeZone(session('Asia/Kolkata'));
    expect(await zoneWith(undefined)).toBe('Asia/Kolkata');
    rememberTimeZone(session(null));
    expect(await zoneWith(undefined)).toBe('Europe/Berlin');
  });

  it('gives way to that of the link', async () => {
    const bar = createElement(TimeZoneContext, { value: 'Asia/Kolkata' }, createElement(RangeBar));
    const nameAt = async (search: string) =>
      names(await renderOnPage(bar, { path: `/organizations/org_1/usage${search}` }), 'button');
    expect(await nameAt('')).toEqual(['Time range: Last 30 daysAsia/Kolkata']);
    expect(await nameAt('?time_zone=Asia/Tokyo')).toEqual(['Time range: Last 30 daysAsia/Tokyo']);
  });
});
