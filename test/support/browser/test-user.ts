import { expect, onTestFinished } from 'vitest';
import type { Dashboard } from './dashboard.ts';
import type { User } from './user.ts';

/** Opens a browser that is closed after the test, which must not have caused any problem. */
export async function openTestUser(dashboard: Dashboard): Promise<User> {
  const user = await dashboard.newUser();
  onTestFinished(async () => {
    await user.context.close();
    expect(user.problems()).toEqual([]);
  });
  return user;
}
