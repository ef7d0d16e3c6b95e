/* A plug-in that contains the static library, and with HOST the program that loads it twice. */
#ifdef HOST
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  for (int i = 0; argc > 1 && i < 3; i++) {
    void *plugin = dlopen(argv[1], RTLD_NOW);
    int (*check)(void) = NULL;
    if (plugin == NULL || (*(void **)&check = dlsym(plugin, "check")) == NULL || check() != 1) {
      fprintf(stderr, "load %d: %s\n", i, dlerror());
      return 1;
    }
    if (dlsym(plugin, "inpoly_new") != NULL) {
      fprintf(stderr, "the plug-in exports the library\n");
      return 1;
    }
    dlclose(plugin);
  }
  return 0;
}
#else
#include <inpoly.h>

/* Returns the number of solids of an empty mesh. */
int check(void) {
  inpoly_mesh mesh = INPOLY_MESH_INIT;
  inpoly_info info = INPOLY_INFO_INIT;
  inpoly_solid solid;
  if (inpoly_new(&mesh, 1, NULL, &solid) != INPOLY_OK || inpoly_describe(solid, 0, &info) != INPOLY_OK) {
    return -1;
  }
  inpoly_free(solid);
  return (int)info.solids;
}
#endif
