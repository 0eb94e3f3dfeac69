/** Loads the code of views ahead, so that they open without a connection too. */
import { secondMs } from '#lambdas/platform/duration.ts';

/** Something that can be loaded ahead, such as the component of a route. */
interface LoadableView {
  preload?: () => Promise<unknown> | undefined;
}

/** The page has to be idle for so long, so that the first view is complete. */
const idleMs = 6 * secondMs;

/**
 * Loads the code of all views one after another while nothing else happens, so that they open without a connection too.
 *
 * @param isIdle whether the page loads nothing at the moment
 */
export async function preloadViews(views: readonly LoadableView[], isIdle: () => boolean): Promise<void> {
  const connection: { saveData?: boolean } | undefined = Reflect.get(navigator, 'connection');
  if (connection?.saveData) return;
  for (let idleSinceMs = Date.now(); Date.now() - idleSinceMs < idleMs; ) {
    await pause(secondMs);
    if (!isIdle()) idleSinceMs = Date.now();
  }
  for (const view of views) {
    // Opening the view reports a failure.
    await view.preload?.()?.catch(() => {});
    await pause(100);
  }
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
