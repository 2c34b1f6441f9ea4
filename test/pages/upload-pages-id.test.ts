import { checkPages } from './check-pages.ts';
import { UPLOAD_PAGES } from './upload-pages.ts';

checkPages('every page of the uploads', UPLOAD_PAGES, 'id');
