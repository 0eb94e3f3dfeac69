/** Classes of the sidebar's parts where it is a rail of icons: on tablets. */

/** Still read out. */
export const railTextClasses = 'md:max-lg:sr-only';

export const railHiddenClasses = 'md:max-lg:hidden';

/** For links and buttons, of which only the icon is left. */
export const railIconClasses = 'md:max-lg:justify-center md:max-lg:px-0';
