/** More than any view needs; the encoded path is kept in a cookie during the sign-in. */
const maxPathLength = 1024;

const apiPrefix = '/dashboard/api/';

/** Returns `/` for text that is not the path of a page of the dashboard, so that no link can lead to another site. */
export function returnPath(text: string | undefined, dashboardOrigin: string): string {
  if (text === undefined || !text.startsWith('/')) return '/';
  // Read as browsers do: they leave out line breaks and take backslashes for slashes, so `/\example.com` is another site.
  const url = URL.parse(text, dashboardOrigin);
  if (url === null || url.origin !== dashboardOrigin) return '/';
  // Resolving dots may have left two slashes, as in `/.//example.com`.
  if (url.pathname.startsWith('//') || url.pathname.startsWith(apiPrefix)) return '/';
  const path = url.pathname + url.search + url.hash;
  return path.length > maxPathLength ? '/' : path;
}
