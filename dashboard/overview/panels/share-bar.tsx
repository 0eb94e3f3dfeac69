/** Shows a share, from 0 to 1, that the figures beside it imply. */
export function ShareBar({ share }: { share: number }) {
  return (
    <svg
      aria-hidden
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      className="mt-1.5 block h-1 w-full overflow-hidden rounded-full bg-selected"
    >
      <rect width={share * 100} height="1" className="fill-accent" />
    </svg>
  );
}
