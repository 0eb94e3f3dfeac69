export const productName = 'AI gateway';

/** Several ways in, one way out. */
export function BrandMark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" fill="none" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="8" className="fill-primary" />
      <g className="stroke-on-primary" strokeWidth="2.25" strokeLinecap="round" strokeLinejoin="round">
        <path d="M8 9.5h3.5c4 0 3.5 6.5 7.5 6.5h5" />
        <path d="M8 22.5h3.5c4 0 3.5-6.5 7.5-6.5" />
        <path d="M8 16h11" />
        <path d="m21.5 13 3 3-3 3" />
      </g>
    </svg>
  );
}
