import { checkPages } from './check-pages.ts';
import { LISTING_PAGES } from './listing-pages.ts';

checkPages('every page of the listing', LISTING_PAGES, 'en');
