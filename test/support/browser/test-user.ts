import { expect, onTestFinished } from 'vitest';
import type { Dashboard } from './dashboard.ts';
import type { User } from './user.ts';

/** Opens a browser that is closed after the test, which must not have caused any problem. */
export async function openTestUser(dashboard: Dashboard, locale?: string): Promise<User> {
  const user = await dashboard.newUser(locale);
  onTestFinished(async () => {
    await user.context.close();
    expect(user.problems()).toEqual([]);
  });
  return user;
}
