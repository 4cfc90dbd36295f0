/* For sanitizer builds: MPI's plugins stay loaded, so that a leak of theirs can be told by their name (cmake/lsan.supp)
 * and not by "<unknown module>", which is nobody. */
int dlclose(void* handle);

int dlclose(void* handle) {
  (void)handle;
  return 0;
}
