// A reference to what is to be called back, whatever it is: what calls it is compiled once.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace stormproof {

template <class>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
  public:
    template <class Function>
        requires(!std::is_same_v<std::remove_cvref_t<Function>, FunctionRef>)
    FunctionRef(Function&& function)  // implicitly: a function is passed as such
        : function_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
          call_([](void* called, Arguments... arguments) -> Result {
              return (*static_cast<std::remove_reference_t<Function>*>(called))(std::forward<Arguments>(arguments)...);
          }) {}

    Result operator()(Arguments... arguments) const { return call_(function_, std::forward<Arguments>(arguments)...); }

  private:
    void* function_;
    Result (*call_)(void*, Arguments...);
};

}  // namespace stormproof
